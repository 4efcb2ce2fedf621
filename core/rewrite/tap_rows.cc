// SPDX-License-Identifier: MIT
#include "core/rewrite/tap_rows.h"

#include <algorithm>

#include "core/arch/device_facts.h"
#include "core/arch/infinity_cache.h"
#include "core/base/math.h"
#include "core/conv/limits.h"
#include "core/reference/plain_sums.h"

namespace gridwise {

std::optional<TapRows> WithTapRows(const ConvProblem& problem) {
  constexpr std::int64_t kVector = 8;  // channels that instances load at a time
  constexpr std::int64_t kMaxOffsetElements = std::int64_t{1} << 31;
  const Dim& w = problem.dims[2];
  const std::optional<ConvProblem> sums = PlainSums(problem, /*operand_bytes=*/2);
  if (problem.direction != Direction::kBackwardWeight || !sums || w.filter == 1 || w.stride != 1 ||
      w.dilation != 1 || w.pad_begin >= w.filter || w.pad_end >= w.filter ||
      problem.k * w.filter > kMaxChannels) {
    return std::nullopt;
  }
  TapRows rows = {.problem = *sums, .taps = w.filter};
  ConvProblem& p = rows.problem;
  p.k = AlignUp(problem.k * w.filter, kVector);
  p.dims[2] = Dim{.in = w.in};
  if (p.y_elements() >= kMaxOffsetElements || p.out_elements() >= kMaxOffsetElements)
    return std::nullopt;
  return rows;
}

std::optional<TapRows> WithFewTapRows(const ConvProblem& problem) {
  constexpr std::int64_t kMaxChannels = 16;  // of dy; with more there are enough rows
  return problem.k > std::min(kMaxChannels, problem.c) ? std::nullopt : WithTapRows(problem);
}

std::optional<TapRows> ChooseTapRows(const ConvProblem& problem, Gfx gfx) {
  // Rates by the simulator's clock; the second for whole vectors of dy that go straight to LDS.
  constexpr double kOfL2Rate = 0.35, kOfL2RateToLds = 0.65;
  constexpr std::int64_t kVector = 8;
  constexpr double kLaunchUs = 5;
  const std::optional<TapRows> rows = WithFewTapRows(problem);
  if (!rows) return std::nullopt;
  const DeviceFacts device(gfx);
  const MachineFacts& machine = device.machine;
  const double bytes = SizeOf(problem.type);
  const bool to_lds = TraitsOf(gfx).loads_vectors_to_lds && problem.k >= kVector;
  const auto l2_us = [&](const ConvProblem& p, double of_rate) {
    const auto loads = static_cast<double>(p.batch * p.out_pixels() * p.filter_taps() * p.c);
    const double of_us = machine.l2_bytes_per_clk * device.xcds * 1e3 * device.clock_ghz;
    return loads * bytes / (of_us * of_rate);
  };
  const double copy = static_cast<double>(rows->problem.y_elements()) * bytes;
  const double copy_us = kLaunchUs + 2 * MemoryNs(machine, copy, 0) * 1e-3;  // written and read
  const double whole_us = l2_us(problem, to_lds ? kOfL2RateToLds : kOfL2Rate);
  if (l2_us(rows->problem, kOfL2Rate) + copy_us >= whole_us) return std::nullopt;
  return rows;
}

}  // namespace gridwise
