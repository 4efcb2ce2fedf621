// SPDX-License-Identifier: MIT
#include "core/cost/roofline.h"

#include <algorithm>
#include <numeric>

#include "core/arch/device_facts.h"
#include "core/arch/infinity_cache.h"
#include "core/base/math.h"

namespace gridwise {

double PeakFlopsPerClock(Gfx gfx, DataType type) {
  const TargetTraits target = TraitsOf(gfx);
  double most = 0;
  for (const MmaUnit unit : {target.mma_unit, MmaUnit::kFma}) {
    if (!target.Has(unit)) continue;
    for (const int m : {16, 32, 64}) {
      const int k = MmaK(unit, m, type, target.mfma_generation);
      if (k == 0) continue;
      // Hopper's instruction is 64 x 128, and all units of an SM work on it.
      const bool wgmma = unit == MmaUnit::kWgmma;
      const int n = wgmma ? 128 : m;
      const double flops = 2.0 * m * n * k * (wgmma ? 1 : target.simds_per_unit);
      most = std::max(most, flops / MmaCycles({unit, m, n, k}, type, target.mfma_generation));
    }
  }
  return most;
}

std::int64_t PixelsMet(const Dim& dim) {
  if (dim == Dim{}) return 1;
  // Pixels that are a stride apart, among `positions` positions from `begin` on.
  const auto inside = [&](std::int64_t begin, std::int64_t positions) {
    const std::int64_t zero = 0;
    const std::int64_t first = CeilDiv(std::max(zero, -begin), dim.stride);
    const std::int64_t end = CeilDiv(std::max(zero, dim.in - begin), dim.stride);
    return std::max(zero, std::min(positions, end) - first);
  };
  // Taps meet the same pixels if they have the same remainder by the stride. Each of those begins
  // `shift` positions after the one before.
  const std::int64_t common = std::gcd(dim.stride, dim.dilation);
  const std::int64_t remainders = dim.stride / common, shift = dim.dilation / common;
  std::int64_t met = 0;
  for (std::int64_t first = 0; first < std::min(remainders, dim.filter); ++first) {
    const std::int64_t taps = (dim.filter - 1 - first) / remainders + 1;
    const std::int64_t begin = first * dim.dilation - dim.pad_begin;
    if (shift <= dim.out()) {  // they overlap
      met += inside(begin, dim.out() + (taps - 1) * shift);
      continue;
    }
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      met += inside(begin + tap * shift * dim.stride, dim.out());
    }
  }
  return met;
}

RooflineWork CountRooflineWork(const ConvProblem& p) {
  std::int64_t read = p.a_elements() + p.b_elements();
  if (p.direction != Direction::kBackwardData) {
    std::int64_t met = p.batch * p.c;
    for (const Dim& dim : p.dims) met *= PixelsMet(dim);
    read += met - p.x_elements();
  }
  return {.type = p.type,
          .flops = p.Flops(),
          .bytes_read = static_cast<double>(read) * SizeOf(p.type),
          .bytes_written = static_cast<double>(p.out_elements()) * SizeOf(p.output_type())};
}

RooflineWork CountRooflineWork(const GemmProblem& p) {
  return {.type = p.type,
          .flops = p.Flops(),
          .bytes_read = static_cast<double>(p.a_elements() + p.b_elements()) * SizeOf(p.type),
          .bytes_written = static_cast<double>(p.out_elements()) * SizeOf(p.output_type())};
}

Roofline ComputeRoofline(const RooflineWork& work, const DeviceFacts& device, double clock_ghz) {
  const MachineFacts& machine = device.machine;
  const double peak = PeakFlopsPerClock(device.gfx, work.type) * device.compute_units * clock_ghz;
  return {.matrix_ms = peak > 0 ? work.flops / peak * 1e-6 : 0,
          .memory_ms = MemoryNs(machine, work.bytes_read, work.bytes_written) * 1e-6};
}

}  // namespace gridwise
