#include "ck/ops/estimate.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/passes/pass_cycles.h"

namespace gridwise::ck {
namespace {

/// Vector-ALU instructions of a wave that loads, for the loads of a step: what its Walk takes for
/// each (see the README), and one v_perm for each pair of elements that it transposes.
double AddressInstructions(const GemmConfig& c, Side side) {
  constexpr double kOfLoad[] = {0.5, 1, 3, 5, 8};  // by Walk
  const GemmConfig::Operand& o = c.operand(side);
  const double loads = c.units_of_lane(side) * c.loads_of_unit(side);
  const double transposed = o.along_k() ? 0 : loads * o.vector() * SizeOf(c.type) / 4;
  return loads * kOfLoad[static_cast<int>(o.walk)] + transposed;
}

/// Cycles that the address unit of a compute unit takes for an operand's slab: of each 16 lanes,
/// the lines of 128 bytes that they touch, and 64 bytes a cycle. The rule fits what was published
/// of gfx942; of RDNA none is known.
double AddressCycles(const GemmConfig& c, Side side) {
  constexpr double kLanes = 16, kLine = 128, kBytesPerCycle = 64;
  const GemmConfig::Operand& o = c.operand(side);
  const double load_bytes = o.vector() * SizeOf(c.type);
  // Lanes lie along K, a chunk apart, or along rows, where they are neighbours.
  const double along = std::min<double>(kLanes, o.along_k() ? c.units_k(side) : c.units_rows(side));
  const double apart = o.along_k() ? LdsTile::kChunkBytes : load_bytes;
  const double lines = kLanes / along * std::ceil(along * apart / kLine);
  const double groups = c.units(side) * c.loads_of_unit(side) / kLanes;
  return groups * std::max(lines, kLanes * load_bytes / kBytesPerCycle);
}

}  // namespace

double ResidentWorkgroups(const GemmConfig& c, const DeviceFacts& device) {
  const TargetTraits target = TraitsOf(device.gfx);
  const double waves = static_cast<double>(c.threads() / c.mma.lanes());
  const double by_registers =
      std::floor(c.occupancy * target.simds_per_unit / std::max(waves, 1.0));
  const double by_lds = std::floor(static_cast<double>(target.lds_bytes) / c.lds_bytes());
  return std::max(1.0, std::min(by_registers, by_lds));
}

Cost EstimateCost(const GemmConfig& c, const DeviceFacts& device, const Work& work, int splits) {
  constexpr double kL2BytesPerCycle = 64;        // of one compute unit; measured on gfx942
  constexpr double kLatency = 700;               // from HBM; measured on gfx942: 500 to 800
  constexpr double kBarrier = 40;                // waves wait for the last one; an estimate
  constexpr double kTableRead = 64;              // LDS latency before the loads of a step
  constexpr double kFragmentRead = 40;           // the first of a step, which nothing hides
  constexpr double kLdsWriteBytesPerCycle = 74;  // two ports of 37; measured on gfx942
  constexpr double kLaunch = 4000;               // dispatch, index arithmetic and the first table
  const TargetTraits target = TraitsOf(device.gfx);
  const double tiles = work.tiles * splits, steps = work.steps / tiles;
  const double fits = ResidentWorkgroups(c, device);
  const double math_waves =
      std::max(1.0, static_cast<double>(c.waves.m * c.waves.n) / target.simds_per_unit);
  const double step_bytes = c.buffer_bytes();
  const double step_matrix =
      c.reps_m() * c.reps_n() * (c.tile.k / c.mma.k) * MmaCycles(c.mma, c.type) * math_waves;
  // What a wave that multiplies does besides: of a wavelet row nothing but to read and to wait.
  double overhead = kFragmentRead + kBarrier * (c.lds_buffers() == 1 ? 2 : 1);
  if (!c.is_wavelet()) {
    const bool has_table = c.a.has_table() || c.b.has_table();
    const double cycles_of_instruction = target.wave_size == 64 ? 4 : 1;
    overhead += step_bytes / kLdsWriteBytesPerCycle + (has_table ? kTableRead : 0) +
                cycles_of_instruction * math_waves *
                    (AddressInstructions(c, Side::kA) + AddressInstructions(c, Side::kB));
  }
  // A slab arrives behind those of all other workgroups. Slabs in flight share the latency.
  const double requested = std::min(tiles, device.compute_units * fits) * step_bytes;
  const double arrival =
      kLatency / c.slabs_in_flight() + requested / (device.compute_units * kL2BytesPerCycle);
  const double memory = std::max(step_bytes / kL2BytesPerCycle,
                                 AddressCycles(c, Side::kA) + AddressCycles(c, Side::kB));
  const double rounds = std::ceil(tiles / device.compute_units);
  const double sums_bytes = 4 * splits * work.out_elements;
  const double pass =
      splits == 1 ? 0 : PassCycles(device, sums_bytes + work.out_elements * SizeOf(c.type));
  return WithCycles(
      {.matrix_cycles = steps * step_matrix,
       .memory_cycles = steps * memory,
       .alone_cycles = steps * std::max({step_matrix + overhead, arrival, memory}),
       .fixed_cycles = kLaunch + c.tile.m * c.tile.n * SizeOf(c.type) / kL2BytesPerCycle,
       .rounds = rounds,
       .resident = std::min(fits, rounds),
       .pass_cycles = pass});
}

Sharing Complete(Sharing sharing, const GemmConfig& config, const DeviceFacts& device,
                 const Work& work) {
  return ShareK(sharing, config.type, device, work,
                [&](int splits) { return EstimateCost(config, device, work, splits).cycles; });
}

}  // namespace gridwise::ck
