// SPDX-License-Identifier: MIT
#include "tile/plan/estimate.h"

#include <algorithm>
#include <cmath>

#include "tile/block_sums.h"
#include "tile/halo_layout.h"

namespace gridwise::tile {

double ResidentWorkgroups(const TileConfig& c, const PartRequest& request) {
  const int waves = c.threads() / c.mma.lanes();
  if (request.needs.registers > 0)
    return gridwise::ResidentWorkgroups(request.device, request.needs, waves);
  const double of_simd = 1.0 * waves / TraitsOf(request.device.gfx).simds_per_unit;
  return std::max(1.0, std::floor(c.occupancy / std::max(1.0, of_simd)));
}

namespace {

// Instructions of all of a workgroup's waves, as run mode of the simulator counts them (`gridwise
// sweep` on gfx942 and gfx950) for 1x1 and 3x3 convolutions of 64 to 256 channels.

/// Instructions of a workgroup outside of its steps: finding its tile, and its loads, which waves
/// that only multiply do not have; and for each output element, of which a lane has several,
/// conversion and stage. For `run` consecutive tiles, whose weights are loaded once.
Instructions OfWorkgroup(const TileConfig& c, bool along_pixels, int run) {
  const double waves = c.threads() / c.mma.lanes();
  const double lane_elements = 1.0 * c.tile.m * c.tile.n / c.mma.lanes();
  const bool apart = c.load_waves() > 0;
  const Instructions of_wave =
      along_pixels ? Instructions{.vector = apart ? 140.0 : 220.0, .scalar = apart ? 280.0 : 400.0}
                   : Instructions{.vector = apart ? 95.0 : 175.0, .scalar = apart ? 205.0 : 290.0};
  const Instructions of_halo =  // once, and for each tile
      c.has_resident_weights() ? Instructions{.vector = 70.0 * run, .scalar = 300 + 34.0 * run}
                               : Instructions{};
  return {.vector = (of_wave.vector + of_halo.vector) * waves + 2.5 * lane_elements * run,
          .scalar = (of_wave.scalar + of_halo.scalar) * waves};
}

/// Cycles of the address unit for an operand's k tile: 16 lanes, or 64 bytes, at a time.
double AddressCycles(const TileConfig& c, TileConfig::Patch patch, int rows, bool along_pixels) {
  const double bytes = (along_pixels || patch.n > 1 ? patch.n : patch.k) * SizeOf(c.type);
  const double loads = 1.0 * rows * c.tile.k * SizeOf(c.type) / bytes;
  return loads / 16 * std::max(1.0, 16 * bytes / 64);
}

/// Cycles for the packed pixels of a halo, which are loaded by elements, per row of the filter.
double PixelCycles(const TileConfig& c) {
  const int loads = c.patch_a.k == c.pixel ? 1 : c.patch_a.k;
  return 1.0 * c.halo * c.stride * c.stride * loads / 16 / HaloLayout{c}.max_taps();
}

double LoadWaves(const TileConfig& c) { return 1.0 * c.load_threads() / c.mma.lanes(); }

/// Instructions of a step along channels. With rows of taps in LDS, most of them find pixels.
Instructions OfStep(const TileConfig& c) {
  constexpr double kOfSwapped = 0.55;  // per element that is transposed
  const double waves = c.threads() / c.mma.lanes();
  const double swapped = c.patch_b.n == 2 ? 1.0 * c.lds_b().rows * c.tile.k / c.mma.lanes() : 0;
  return {.vector = kOfSwapped * swapped + (c.has_taps_in_lds() ? 12 * waves : 0),
          .scalar = (c.has_taps_in_lds() ? 115
                     : c.has_halo()      ? 20
                                         : 4) *
                    waves};
}

/// Instructions of a step along pixels: elements are transposed in registers, two at a time, unless
/// they go straight to LDS; and occasionally a run of steps begins.
Instructions OfStepAlongPixels(const TileConfig& c) {
  const double elements = 1.0 * (c.tile.m + c.tile.n) * c.tile.k / c.mma.lanes();
  return {.vector = (c.loads_to_lds() ? 0 : 0.5 * elements) + 3 * LoadWaves(c),
          .scalar = 16 * LoadWaves(c)};
}

/// Steps that sum blocks, whose waves issue many instructions in addition to matrix ones.
TileSteps StepsOfBlocks(const TileConfig& c, const PartRequest& request) {
  constexpr double kClocksOfPixel = 40;  // by the simulator's clock
  const double waves_per_simd =
      static_cast<double>(c.waves.m * c.waves.n) / TraitsOf(request.device.gfx).simds_per_unit;
  const BlockSums sums{c};
  const double step_bytes = (1.0 + c.stride * c.stride) * c.tile.k * sums.pixel_bytes();
  // Reads for a block's pixels: runs of dy and of x's planes in a row.
  const int reads = sums.run_pixels() * (1 + c.stride) + sums.adjacent_pixels();
  return {.tile_elements = 1.0 * c.tile.m * c.tile.n,
          .element_bytes = SizeOf(c.type),
          .resident = ResidentWorkgroups(c, request),
          .matrix_cycles = c.reps_m() * c.reps_n() * (c.tile.k / c.mma.k) *
                           MmaCycles(c.mma, c.type, TraitsOf(request.device.gfx).mfma_generation) *
                           waves_per_simd,
          .k_tile_bytes = step_bytes,
          .line_bytes = step_bytes,
          .read_bytes = 1.0 * c.waves.m * c.waves.n * c.tile.k / sums.run_pixels() * reads *
                        TileConfig::kBlock * SizeOf(c.type),
          .written_bytes = step_bytes,
          .lane_cycles = kClocksOfPixel * c.tile.k,
          .barriers = 2,
          .of_workgroup = OfWorkgroup(c, /*along_pixels=*/true, /*run=*/1),
          .of_step = {},
          .of_tap = {}};
}

/// Loads of parts of pixels, in addition to those of whole ones.
double PartLoads(const TileConfig& c, TileConfig::Patch patch, int rows) {
  return patch.n == 1 ? static_cast<double>(rows * c.tile.k / c.ragged(patch)) : 0;
}

double SwappedElements(const TileConfig& c, TileConfig::Patch patch, int rows) {
  return patch.n == 2 ? static_cast<double>(rows * c.tile.k) : 0;
}

/// Bytes of memory lines beyond a run of k, which a later step loads again.
double HalfLineBytes(const TileConfig& c, TileConfig::Patch patch, LdsTile tile,
                     std::int64_t channels) {
  constexpr int kLineBytes = 128;
  const int run = c.step_k() * SizeOf(c.type);
  const bool along_k = patch.n == 1 && patch.k > 1 && c.merge == 1;
  // With shorter pixels, the next row continues the line.
  return along_k && run < kLineBytes && channels > c.step_k()
             ? tile.bytes() * (1.0 * kLineBytes / run - 1)
             : 0.0;
}

}  // namespace

TileSteps MakeTileSteps(const TileConfig& c, const PartRequest& request,
                        const TileProblem& problem) {
  if (c.sums_blocks()) return StepsOfBlocks(c, request);
  constexpr double kLoadIssue = 16;  // per wave, at 4 addresses per cycle; an estimate
  const double simds =
      static_cast<double>(c.waves.m * c.waves.n) / TraitsOf(request.device.gfx).simds_per_unit;
  const double waves_per_simd = std::max(1.0, simds);
  const HaloLayout layout{c};
  // Taps, or rows of taps, for which pixels are loaded together.
  const int taps = std::max<int>(c.taps_in_lds, 1);
  const double pixels_bytes = 1.0 * layout.pixels_bytes() * taps / layout.max_taps();
  const double k_tile_bytes = c.has_resident_weights() ? pixels_bytes
                              : c.has_halo()           ? pixels_bytes + taps * c.lds_b().bytes()
                                                       : 1.0 * c.k_tile_bytes();
  const double read_elements =
      c.waves.m * c.waves.n * taps *
      ReadElements(c.mma, c.wave_m() * c.tile.k, c.wave_n() * c.k_of_group());
  // For the tiles of a halo, while the next one's pixels are in flight.
  const double output_factor = c.has_resident_weights() ? 0.8 : c.load_waves() >= 4 ? 0.75 : 1;
  return {.tile_elements = 1.0 * c.tile.m * c.tile.n * problem.run,
          .output_factor = output_factor,
          .element_bytes = SizeOf(c.type),
          .resident = ResidentWorkgroups(c, request),
          .matrix_cycles = c.reps_m() * c.reps_n() * (c.k_of_group() / c.mma.k) *
                           MmaCycles(c.mma, c.type, TraitsOf(request.device.gfx).mfma_generation) *
                           waves_per_simd * taps,
          .matrix_simds = c.mma.unit == MmaUnit::kFma ? 0 : std::min(1.0, simds),
          .k_tile_bytes = k_tile_bytes,
          .line_bytes = k_tile_bytes + HalfLineBytes(c, c.patch_a, c.lds_a(), problem.channels) +
                        HalfLineBytes(c, c.patch_b, c.lds_b(), problem.channels),
          .read_bytes = read_elements * SizeOf(c.type),
          .written_bytes = c.load_waves() > 0 || c.loads_to_lds() ? 0.0 : k_tile_bytes,
          .swapped_elements = SwappedElements(c, c.patch_a, c.tile.m) +
                              taps * SwappedElements(c, c.patch_b, c.lds_b().rows),
          .address_cycles =
              (c.packs_pixels() ? PixelCycles(c)
                                : AddressCycles(c, c.patch_a, c.tile.m, problem.along_pixels)) +
              (c.has_halo() ? 0 : AddressCycles(c, c.patch_b, c.tile.n, problem.along_pixels)),
          .barriers = c.has_resident_weights() ? 0
                      : c.lds_buffers() == 1   ? 2
                                               : 1,
          .k_tiles_in_flight = c.has_resident_weights() ? layout.max_taps() : c.k_tiles_in_flight(),
          .loads_ahead = c.pipeline.schedule == Schedule::kDouble && c.pipeline.count > 1,
          .of_workgroup = OfWorkgroup(c, problem.along_pixels, problem.run),
          .of_step = problem.along_pixels ? OfStepAlongPixels(c) : OfStep(c),
          .of_tap = {.vector = c.has_halo() ? 0 : 18 * LoadWaves(c),
                     .scalar = c.has_halo() ? 0 : 55 * LoadWaves(c)},
          .ragged_cycles = kLoadIssue / c.mma.lanes() *
                           (PartLoads(c, c.patch_a, c.tile.m) + PartLoads(c, c.patch_b, c.tile.n)),
          .fixup_bytes = c.has_fixup() ? 1.0 * c.sum_bytes() : 0};
}

}  // namespace gridwise::tile
