// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/estimate/tile_cost.h"
#include "core/launch/part_kernel.h"
#include "tile/config.h"

namespace gridwise::tile {

/// The properties of a problem that estimates of a workgroup's steps need.
struct TileProblem {
  std::int64_t channels = 0;  // per group of the source
  bool along_pixels = false;  // K is pixels: backward-weight
  int run = 1;                // tiles that a workgroup computes in sequence
};

/// The work of a workgroup, as estimates need it.
TileSteps MakeTileSteps(const TileConfig& config, const PartRequest& request,
                        const TileProblem& problem);

/// Workgroups per compute unit at a time, limited by registers and LDS. If the kernel is not
/// compiled, as many as its config demands.
double ResidentWorkgroups(const TileConfig& config, const PartRequest& request);

}  // namespace gridwise::tile
