#include "tile/plan/estimate.h"

#include <algorithm>
#include <cmath>

#include "core/passes/pass_cycles.h"

namespace gridwise::tile {

double ResidentWorkgroups(const TileConfig& c, const DeviceFacts& device) {
  const double waves_per_simd = std::max(
      1.0, static_cast<double>(c.threads() / c.mma.lanes()) / TraitsOf(device.gfx).simds_per_unit);
  return std::max(1.0, std::floor(c.occupancy / waves_per_simd));
}

Cost EstimateCost(const TileConfig& c, const DeviceFacts& device, const Work& work, int splits) {
  constexpr double kL2BytesPerCycle = 64;        // of one compute unit; measured on gfx942
  constexpr double kLatency = 700;               // from HBM; measured on gfx942: 500 to 800
  constexpr double kBarrier = 40;                // waves wait for the last one; an estimate
  constexpr double kFragmentRead = 40;           // the first of a step, which nothing hides
  constexpr double kLdsWriteBytesPerCycle = 74;  // two ports of 37; measured on gfx942
  constexpr double kLoadIssue = 16;              // of a wave, at 4 addresses per cycle; an estimate
  constexpr double kLaunch = 3000;               // dispatch and index arithmetic of a workgroup
  const double tiles = work.tiles * splits;
  const double steps = work.steps / tiles;  // of a workgroup, on average
  const double waves_per_simd = std::max(
      1.0, static_cast<double>(c.waves.m * c.waves.n) / TraitsOf(device.gfx).simds_per_unit);
  const double fits = ResidentWorkgroups(c, device);
  const double step_bytes = c.slab_bytes();
  const double step_matrix = c.reps_m() * c.reps_n() * (c.k_of_group() / c.mma.k) *
                             MmaCycles(c.mma, c.type) * waves_per_simd;
  // A step of the main loop ends when the next slab has arrived, behind those of all other
  // workgroups. Slabs in flight share the latency.
  const double requested = std::min(tiles, device.compute_units * fits) * step_bytes;
  const double arrival =
      kLatency / c.slabs_in_flight() + requested / (device.compute_units * kL2BytesPerCycle);
  // What a math wave does in a step besides multiplying: one LDS buffer is written between two
  // barriers, two need one; load waves write while the others multiply, and loads straight to LDS
  // take no writes.
  const int barriers = c.lds_buffers() == 1 ? 2 : 1;
  const double overhead =
      kFragmentRead + kBarrier * barriers +
      (c.load_waves() > 0 || c.loads_to_lds() ? 0 : step_bytes / kLdsWriteBytesPerCycle);
  // Loads of parts of cells, beyond those of whole ones.
  const auto parts = [&](TileConfig::Patch patch, int rows) {
    return patch.n == 1 ? static_cast<double>(rows * c.tile.k / c.ragged(patch)) : 0;
  };
  const double ragged = work.ragged_steps / tiles / c.mma.lanes() * kLoadIssue *
                        (parts(c.patch_a, c.tile.m) + parts(c.patch_b, c.tile.n));

  const double rounds = std::ceil(tiles / device.compute_units);
  const double partial_bytes = 4 * splits * work.out_elements;
  const double pass =
      splits == 1 ? 0 : PassCycles(device, partial_bytes + work.out_elements * SizeOf(c.type));
  return WithCycles(
      {.matrix_cycles = steps * step_matrix,
       .memory_cycles = steps * step_bytes / kL2BytesPerCycle,
       .alone_cycles = steps * std::max(step_matrix + overhead, arrival) + ragged,
       .fixed_cycles = kLaunch + c.tile.m * c.tile.n * SizeOf(c.type) / kL2BytesPerCycle,
       .rounds = rounds,
       .resident = std::min(fits, rounds),
       .pass_cycles = pass});
}

Sharing Complete(Sharing sharing, const TileConfig& config, const DeviceFacts& device,
                 const Work& work) {
  return ShareK(sharing, config.type, device, work,
                [&](int splits) { return EstimateCost(config, device, work, splits).cycles; });
}

}  // namespace gridwise::tile
