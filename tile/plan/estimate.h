#pragma once

#include "core/arch/device_facts.h"
#include "core/launch/cost.h"
#include "core/launch/part_kernel.h"
#include "tile/config.h"

namespace gridwise::tile {

/// The size of a launch.
struct Work {
  double tiles;                  // of the output
  double steps;                  // of the main loop, of all tiles together
  double out_elements;           //
  double ragged_steps = 0;       // of them, those whose channels end within a cell
  int least_steps_of_split = 4;  // shorter loops are not worth a workgroup
};

/// Estimates a launch of `config` in which `splits` workgroups share the steps of each tile.
Cost EstimateCost(const TileConfig& config, const DeviceFacts& device, const Work& work,
                  int splits);

/// `sharing` with its zeros filled in, but for partial_elements of a single split.
Sharing Complete(Sharing sharing, const TileConfig& config, const DeviceFacts& device,
                 const Work& work);

/// The number of splits whose estimate is least, a power of two; 1 where the output has 2^31 or
/// more elements.
int ChooseSplits(const TileConfig& config, const DeviceFacts& device, const Work& work);

/// Workgroups of a compute unit at a time, as far as registers and LDS go.
double ResidentWorkgroups(const TileConfig& config, const DeviceFacts& device);

}  // namespace gridwise::tile
