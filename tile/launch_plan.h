#pragma once

#include <cstdint>
#include <vector>

#include "ck/arch/target.h"
#include "ck/conv/cost.h"
#include "tile/config.h"

namespace gridwise::tile {

/// What the plans of all kernels have: the launch and its estimated cost.
struct LaunchPlan {
  unsigned workgroups[3];
  unsigned threads;              // of a workgroup
  std::int64_t workspace_bytes;  // that the launch needs
  Cost cost;
};

/// Offsets within a tensor are bytes below this, see Buffer.
inline constexpr std::int64_t kOffsetLimit = std::int64_t{1} << 31;

/// Estimates a launch of `tiles` workgroups of `config`, which take `tile_steps` steps of the main
/// loop together.
Cost EstimateCost(const TileConfig& config, const TargetTraits& target, double tiles,
                  double tile_steps);

}  // namespace gridwise::tile
