#pragma once

#include <cstdint>

#include "core/estimate/tile_cost.h"
#include "core/launch/part_kernel.h"
#include "tile/config.h"

namespace gridwise::tile {

/// What estimates of a workgroup's steps need to know of a problem.
struct TileProblem {
  std::int64_t channels = 0;  // of a group's source
  bool along_pixels = false;  // K is pixels: backward-weight
  int run = 1;                // tiles that a workgroup computes one after the other
};

/// What a workgroup does, as estimates need it.
TileSteps TileStepsOf(const TileConfig& config, const PartRequest& request,
                      const TileProblem& problem);

/// Workgroups of a compute unit at a time, as far as registers and LDS go: of a kernel that is not
/// compiled as many as its config demands.
double ResidentWorkgroups(const TileConfig& config, const PartRequest& request);

}  // namespace gridwise::tile
