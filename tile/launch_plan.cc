#include "tile/launch_plan.h"

#include <algorithm>
#include <cmath>

namespace gridwise::tile {

Cost EstimateCost(const TileConfig& c, const TargetTraits& target, double tiles,
                  double tile_steps) {
  constexpr double kL2BytesPerCycle = 64;   // of one compute unit; measured on gfx942
  constexpr double kLatency = 700;          // from HBM; measured on gfx942: 500 to 800
  constexpr double kStepOverhead = 120;     // two barriers, and a fragment read that nothing hides
  constexpr double kLaunch = 3000;          // dispatch and index arithmetic of a workgroup
  const double steps = tile_steps / tiles;  // of a workgroup, on average
  const double waves_per_simd =
      std::max(1.0, static_cast<double>(c.waves.m * c.waves.n) / target.simds_per_unit);
  const double fits = std::max(1.0, std::floor(c.occupancy / waves_per_simd));
  const double step_bytes = (c.tile.m + c.tile.n) * c.tile.k * SizeOf(c.type);
  const double step_matrix =
      c.reps_m() * c.reps_n() * (c.tile.k / c.mma.k) * MmaCycles(c.mma, c.type) * waves_per_simd;
  // A step of the main loop ends when the next slab has arrived, behind those of all other
  // workgroups.
  const double in_flight = std::min(tiles, target.compute_units * fits) * step_bytes;
  const double arrival = kLatency + in_flight / (target.compute_units * kL2BytesPerCycle);

  const double rounds = std::ceil(tiles / target.compute_units);
  return WithCycles(
      {.matrix_cycles = steps * step_matrix,
       .memory_cycles = steps * step_bytes / kL2BytesPerCycle,
       .alone_cycles = steps * std::max(step_matrix + kStepOverhead, arrival),
       .fixed_cycles = kLaunch + c.tile.m * c.tile.n * SizeOf(c.type) / kL2BytesPerCycle,
       .rounds = rounds,
       .resident = std::min(fits, rounds)});
}

}  // namespace gridwise::tile
