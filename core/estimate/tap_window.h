// SPDX-License-Identifier: MIT
#pragma once

#include "core/estimate/tile_cost.h"
#include "core/launch/part_kernel.h"

namespace gridwise {

/// The tiles of a gather (forward, backward-data) whose K goes from tap to tap, and within a tap
/// from one run of channels to the next.
struct TapTiles {
  double rows = 0;     // of A, per tile
  double columns = 1;  // tiles with the same rows of A
  double terms = 0;    // per group and step
  double part = 0;     // of A in a step's bytes
};

/// Sets steps.window_bytes, window_part and window_spread from `steps.resident`: how many of the
/// pixels that a tap reads L2 may still have at the next tap, and at the next step.
void SetTapWindow(const PartRequest& request, const TapTiles& tiles, TileSteps& steps);

}  // namespace gridwise
