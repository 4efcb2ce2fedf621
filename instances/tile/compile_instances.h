// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/instance_kernel.h"
#include "core/arch/this_target.h"
#include "tile/config.h"
#include "tile/kernel/bwd_weight.h"
#include "tile/kernel/gather.h"
#include "tile/reject.h"

/// Compiles the lines of <target>.inc, those of a shard: see gpu_kernel_table.

namespace gridwise::tile {

using enum DataType;
using enum MmaUnit;
using enum Schedule;

}  // namespace gridwise::tile

#define GRIDWISE_TILE_INSTANCE(Kernel, Args, ...)                                                \
  namespace gridwise::tile {                                                                     \
  static_assert(Reject(TileConfig{__VA_ARGS__}, kThisTarget) == nullptr,                         \
                Sentence(Reject(TileConfig{__VA_ARGS__}, kThisTarget)));                         \
  extern "C" GRIDWISE_KERNEL                                                                     \
      __attribute__((amdgpu_flat_work_group_size(TileConfig{__VA_ARGS__}.threads(),              \
                                                 TileConfig{__VA_ARGS__}.threads()),             \
                     amdgpu_waves_per_eu(WavesPerSimd(TileConfig{__VA_ARGS__}.occupancy)))) void \
          GRIDWISE_INSTANCE_SYMBOL(tile)(Args) {                                                 \
    Kernel<TileConfig{__VA_ARGS__}, kThisTarget>();                                              \
  }                                                                                              \
  }

#define FORWARD(...) GRIDWISE_TILE_INSTANCE(GatherTile, GatherArgs, __VA_ARGS__)
#define BACKWARD_DATA(...) GRIDWISE_TILE_INSTANCE(GatherTile, GatherArgs, __VA_ARGS__)
#define BACKWARD_WEIGHT(...) GRIDWISE_TILE_INSTANCE(BwdWeightTile, BwdWeightArgs, __VA_ARGS__)
