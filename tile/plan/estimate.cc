#include "tile/plan/estimate.h"

#include <algorithm>
#include <cmath>

namespace gridwise::tile {

double ResidentWorkgroups(const TileConfig& c, const DeviceFacts& device) {
  const double waves_per_simd = std::max(
      1.0, static_cast<double>(c.threads() / c.mma.lanes()) / TraitsOf(device.gfx).simds_per_unit);
  return std::max(1.0, std::floor(c.occupancy / waves_per_simd));
}

namespace {

/// Of sums of blocks, whose waves issue many instructions besides matrix ones.
TileSteps StepsOfBlocks(const TileConfig& c, const DeviceFacts& device) {
  constexpr double kClocksOfCell = 48;  // by the simulator's clock
  const double waves_per_simd =
      static_cast<double>(c.waves.m * c.waves.n) / TraitsOf(device.gfx).simds_per_unit;
  const double step_bytes = 2.0 * c.tile.k * c.cell_bytes();
  const int reads = TileConfig::kRunCells * 2 + TileConfig::kTapsOfWave - 1;  // of a block's cells
  return {.tile_elements = 1.0 * c.tile.m * c.tile.n,
          .element_bytes = SizeOf(c.type),
          .resident = ResidentWorkgroups(c, device),
          .matrix_cycles = c.reps_m() * c.reps_n() * (c.tile.k / c.mma.k) *
                           MmaCycles(c.mma, c.type) * waves_per_simd,
          .slab_bytes = step_bytes,
          .line_bytes = step_bytes,
          .read_bytes = 1.0 * c.waves.m * c.waves.n * c.tile.k / TileConfig::kRunCells * reads *
                        TileConfig::kBlock * SizeOf(c.type),
          .written_bytes = step_bytes,
          .lane_cycles = kClocksOfCell * c.tile.k,
          .barriers = 2};
}

}  // namespace

TileSteps TileStepsOf(const TileConfig& c, const DeviceFacts& device) {
  if (c.sums_blocks()) return StepsOfBlocks(c, device);
  constexpr double kLoadIssue = 16;  // of a wave, at 4 addresses per cycle; an estimate
  const double simds =
      static_cast<double>(c.waves.m * c.waves.n) / TraitsOf(device.gfx).simds_per_unit;
  const double waves_per_simd = std::max(1.0, simds);
  // Loads of parts of cells, beyond those of whole ones.
  const auto parts = [&](TileConfig::Patch patch, int rows) {
    return patch.n == 1 ? static_cast<double>(rows * c.tile.k / c.ragged(patch)) : 0;
  };
  const auto swapped = [&](TileConfig::Patch patch, int rows) {
    return patch.n == 2 ? static_cast<double>(rows * c.tile.k) : 0;
  };
  // Runs of k that are shorter than a line of memory, whose rest a later step asks for again.
  const auto half_lines = [&](TileConfig::Patch patch, LdsTile tile) {
    constexpr int kLineBytes = 128;
    const int run = c.step_k() * SizeOf(c.type);
    const bool along_k = patch.n == 1 && patch.k > 1 && c.merge.groups == 1;
    return along_k && run < kLineBytes ? tile.bytes() * (1.0 * kLineBytes / run - 1) : 0.0;
  };
  const int rows_b = c.lds_b().rows;
  // Of a tap, or a row of taps, where cells are loaded for all of them.
  const int taps = std::max(c.taps_in_lds.of_row, 1);
  const double cells_bytes = 1.0 * c.bytes_of_a() * taps / TileConfig::Halo::kMostTaps;
  const double slab_bytes = c.keeps_weights() ? cells_bytes
                            : c.has_halo()    ? cells_bytes + taps * c.lds_b().bytes()
                                              : 1.0 * c.slab_bytes();
  const double read_elements =
      c.waves.m * c.waves.n * (1.0 * c.wave_m() * c.tile.k + c.wave_n() * c.k_of_group()) * taps;
  // Of a halo's tiles, while the next one's cells are on their way.
  const double output_factor = c.keeps_weights() ? 0.8 : 1;
  return {.tile_elements = 1.0 * c.tile.m * c.tile.n,
          .output_factor = output_factor,
          .element_bytes = SizeOf(c.type),
          .resident = ResidentWorkgroups(c, device),
          .matrix_cycles = c.reps_m() * c.reps_n() * (c.k_of_group() / c.mma.k) *
                           MmaCycles(c.mma, c.type) * waves_per_simd * taps,
          .matrix_simds = c.mma.unit == MmaUnit::kFma ? 0 : std::min(1.0, simds),
          .slab_bytes = slab_bytes,
          .line_bytes =
              slab_bytes + half_lines(c.patch_a, c.lds_a()) + half_lines(c.patch_b, c.lds_b()),
          .read_bytes = read_elements * SizeOf(c.type),
          .written_bytes = c.load_waves() > 0 || c.loads_to_lds() ? 0.0 : slab_bytes,
          .swapped_elements = swapped(c.patch_a, c.tile.m) + taps * swapped(c.patch_b, rows_b),
          .barriers = c.keeps_weights()      ? 0
                      : c.lds_buffers() == 1 ? 2
                                             : 1,
          .slabs_in_flight = c.keeps_weights() ? TileConfig::Halo::kMostTaps : c.slabs_in_flight(),
          .ragged_cycles = kLoadIssue / c.mma.lanes() *
                           (parts(c.patch_a, c.tile.m) + parts(c.patch_b, c.tile.n))};
}

}  // namespace gridwise::tile
