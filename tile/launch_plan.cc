#include "tile/launch_plan.h"

#include <algorithm>
#include <cmath>

namespace gridwise::tile {

Cost EstimateCost(const TileConfig& c, const TargetTraits& target, const Work& work, int splits) {
  constexpr double kL2BytesPerCycle = 64;        // of one compute unit; measured on gfx942
  constexpr double kLatency = 700;               // from HBM; measured on gfx942: 500 to 800
  constexpr double kBarrier = 40;                // waves wait for the last one; an estimate
  constexpr double kFragmentRead = 40;           // the first of a step, which nothing hides
  constexpr double kLdsWriteBytesPerCycle = 74;  // two ports of 37; measured on gfx942
  constexpr double kLoadIssue = 16;              // of a wave, at 4 addresses per cycle; an estimate
  constexpr double kLaunch = 3000;               // dispatch and index arithmetic of a workgroup
  const double tiles = work.tiles * splits;
  const double steps = work.steps / tiles;  // of a workgroup, on average
  const double waves_per_simd =
      std::max(1.0, static_cast<double>(c.waves.m * c.waves.n) / target.simds_per_unit);
  const double all_waves_per_simd =
      std::max(1.0, static_cast<double>(c.threads() / c.mma.lanes()) / target.simds_per_unit);
  const double fits = std::max(1.0, std::floor(c.occupancy / all_waves_per_simd));
  const double step_bytes = c.slab_bytes();
  const double step_matrix = c.reps_m() * c.reps_n() * (c.k_of_group() / c.mma.k) *
                             MmaCycles(c.mma, c.type) * waves_per_simd;
  // A step of the main loop ends when the next slab has arrived, behind those of all other
  // workgroups. Slabs in flight share the latency.
  const double requested = std::min(tiles, target.compute_units * fits) * step_bytes;
  const double arrival =
      kLatency / c.slabs_in_flight() + requested / (target.compute_units * kL2BytesPerCycle);
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

  const double rounds = std::ceil(tiles / target.compute_units);
  const double partial_bytes = 4 * splits * work.out_elements;
  const double pass =
      splits == 1 ? 0 : PassCycles(target, partial_bytes + work.out_elements * SizeOf(c.type));
  return WithCycles(
      {.matrix_cycles = steps * step_matrix,
       .memory_cycles = steps * step_bytes / kL2BytesPerCycle,
       .alone_cycles = steps * std::max(step_matrix + overhead, arrival) + ragged,
       .fixed_cycles = kLaunch + c.tile.m * c.tile.n * SizeOf(c.type) / kL2BytesPerCycle,
       .rounds = rounds,
       .resident = std::min(fits, rounds),
       .pass_cycles = pass});
}

int ChooseSplits(const TileConfig& config, const TargetTraits& target, const Work& work) {
  int best = 1;
  if (work.out_elements >= static_cast<double>(kOffsetLimit)) return best;
  double least = EstimateCost(config, target, work, 1).cycles;
  for (int splits = 2; work.steps / (work.tiles * splits) >= work.least_steps_of_split &&
                       work.tiles * splits <= 4.0 * target.compute_units;
       splits *= 2) {
    const double cycles = EstimateCost(config, target, work, splits).cycles;
    if (cycles >= least) continue;
    least = cycles;
    best = splits;
  }
  return best;
}

Sharing Complete(Sharing sharing, const TileConfig& config, const TargetTraits& target,
                 const Work& work) {
  const bool splittable = SumType(config.type) == DataType::kF32;  // as partial sums are
  if (sharing.splits == 0) sharing.splits = splittable ? ChooseSplits(config, target, work) : 1;
  if (sharing.splits > 1 && sharing.partial_elements == 0) {
    sharing.partial_elements = static_cast<std::int64_t>(work.out_elements);
  }
  return sharing;
}

void SetFilter(const PerAxis& w_stride, int (&filter)[3]) {
  filter[0] = 1;
  filter[1] = static_cast<int>(w_stride[2] / w_stride[3]);
  filter[2] = static_cast<int>(w_stride[3] / w_stride[4]);
}

double PassCycles(const TargetTraits& target, double bytes) {
  constexpr double kLaunchGap = 8000;  // from the end of one launch to the start of the next
  return kLaunchGap + bytes / (target.memory_gb_per_s / target.clock_ghz);
}

}  // namespace gridwise::tile
