// SPDX-License-Identifier: MIT
#include "hopper/instance_shapes.h"

#include "core/arch/mma_shape.h"

namespace gridwise::hopper {
namespace {

constexpr int kWarps = 4;       // per warpgroup
constexpr int kBlock = 64;      // channels per patch
constexpr int kDepth = 16;      // elements of K per instruction
constexpr int kOfProducer = 1;  // additional warps per quarter of an SM

}  // namespace

InstanceShape ShapeOf(const Config& c) {
  return {.tile_m = c.w_is_a ? c.pixels() : c.rows(),
          .tile_n = c.w_is_a ? c.channels() : c.columns,
          .tile_k = c.k_tile,
          .waves = c.warpgroups() * kWarps,
          .load_waves = kWarps,
          .occupancy = c.warpgroups() + kOfProducer,
          .mma_m = 64 * c.reps,
          .mma_n = c.columns,
          .mma_k = c.has_parts() ? kDepth : WgmmaK(c.type),
          .vector_a = c.lanes ? 4 : 0,
          .lds_bytes = c.shared_bytes(),
          .k_tiles = c.stages,
          .walk_b = c.resident};
}

InstanceShape ShapeOf(const PhasesConfig& c) {
  return {.tile_m = c.kRows,
          .tile_n = c.kColumns,
          .tile_k = kBlock,
          .waves = c.warpgroups() * kWarps,
          .load_waves = kWarps,
          .occupancy = c.warpgroups() + kOfProducer,
          .mma_m = 64,
          .mma_n = c.kColumns,
          .mma_k = kDepth,
          .lds_bytes = c.shared_bytes(),
          .k_tiles = c.stages,
          .walk_b = c.resident};
}

InstanceShape ShapeOf(const HaloConfig& c) {
  return {.tile_m = c.pixels(),
          .tile_n = c.channels,
          .tile_k = c.channels,
          .waves = c.warpgroups() * kWarps,
          .load_waves = kWarps,
          .occupancy = c.warpgroups() + kOfProducer,
          .mma_m = 64 * c.reps,
          .mma_n = c.channels,
          .mma_k = WgmmaK(c.type),
          .k_tiles = c.stages,
          .merged_groups = c.block() / c.channels,
          .halo_pixels = c.pixels() * c.phases(),
          .lane_taps = c.filter};
}

InstanceShape ShapeOf(const HaloWeightConfig& c) {
  return {.tile_m = kBlock,
          .tile_n = kBlock * c.kTaps,
          .tile_k = kBlock,
          .waves = c.warpgroups() * kWarps,
          .load_waves = kWarps,
          .occupancy = c.warpgroups() + kOfProducer,
          .mma_m = 64,
          .mma_n = kBlock * (c.merges_taps ? c.kTaps / c.kGroups : 1),
          .mma_k = kDepth,
          .k_tiles = c.stages,
          .merged_groups = 1,
          .lane_taps = c.kTaps};
}

InstanceShape ShapeOf(const HaloDenseConfig& c) {
  return {.tile_m = c.pixels(),
          .tile_n = c.columns,
          .tile_k = c.k_tile,
          .waves = c.warpgroups() * kWarps,
          .load_waves = kWarps,
          .occupancy = c.warpgroups() + kOfProducer,
          .mma_m = 64 * c.reps,
          .mma_n = c.product_columns(),
          .mma_k = WgmmaK(c.type),
          .k_tiles = c.stages,
          .halo_pixels = c.pixels(),
          .walk_b = c.resident,
          .lane_taps = c.filter};
}

InstanceShape ShapeOf(const DepthwiseWeightConfig& c) {
  return {.tile_m = c.kChannels,
          .tile_n = 16 * c.rows,
          .tile_k = c.kRows,
          .waves = c.threads() / 32,
          .occupancy = c.threads() / 32 / kWarps,
          .mma_m = 16,
          .mma_n = c.kOfProduct,
          .mma_k = kDepth,
          .lds_bytes = c.shared_bytes(),
          .k_tiles = c.kStages,
          .merged_groups = c.kChannels,
          .lane_taps = c.rows};
}

InstanceShape ShapeOf(const LineConfig& c) {
  return {.tile_m = 64,
          .tile_n = c.columns,
          .tile_k = c.pieces * 8,
          .waves = c.warpgroups() * kWarps,
          .load_waves = kWarps,
          .occupancy = c.warpgroups() + kOfProducer,
          .mma_m = 64,
          .mma_n = c.columns,
          .mma_k = kDepth,
          .vector_a = c.loads_by_lanes() ? 8 : 0,
          .k_tiles = c.stages,
          .halo_pixels = c.elements,
          .lane_taps = c.lines};
}

InstanceShape ShapeOf(const NarrowWeightConfig& c) {
  return {.tile_m = kBlock,
          .tile_n = c.channels * c.window(),
          .tile_k = kDepth,
          .waves = c.warps,
          .occupancy = c.warps / kWarps,
          .mma_m = 16,
          .mma_n = c.channels,
          .mma_k = kDepth,
          .k_tiles = c.stages,
          .merged_groups = kBlock / c.channels,
          .lane_taps = c.taps()};
}

InstanceShape ShapeOf(const SimtConfig& c) {
  return {
      .tile_m = c.kTile, .tile_n = c.kTile, .tile_k = c.kStep, .waves = SimtConfig::threads() / 32};
}

}  // namespace gridwise::hopper
