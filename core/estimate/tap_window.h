#pragma once

#include "core/estimate/tile_cost.h"
#include "core/launch/part_kernel.h"

namespace gridwise {

/// The tiles of a gather (forward, backward-data) whose K goes from tap to tap, in each from one
/// run of channels to the next.
struct TapTiles {
  double rows = 0;     // of A, of a tile
  double columns = 1;  // tiles that have the same rows of A
  double terms = 0;    // of a group, of a step
  double part = 0;     // of a step's bytes, that are of A
};

/// Fills in what of the pixels that a tap reads L2 may have at the next one, and at the next step:
/// steps.window_bytes, window_part and window_spread, by `steps.resident`.
void SetTapWindow(const PartRequest& request, const TapTiles& tiles, TileSteps& steps);

}  // namespace gridwise
