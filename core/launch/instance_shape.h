// SPDX-License-Identifier: MIT
#pragma once

namespace gridwise {

/// An instance as numbers, for models of its time, in any family; 0 where a field does not apply.
struct InstanceShape {
  int tile_m = 0, tile_n = 0, tile_k = 0;  // elements of a workgroup's output, and of a step
  int waves = 0, load_waves = 0;  // of a workgroup: those that multiply, and those that only load
  int occupancy = 0;              // waves per SIMD for which registers are allocated
  int mma_m = 0, mma_n = 0, mma_k = 0;     // of a matrix instruction
  int vector_a = 0, vector_b = 0;          // elements that a lane loads at a time
  int transposes_a = 0, transposes_b = 0;  // 1 if lanes or LDS reads transpose what they load
  int lds_bytes = 0;                       //
  int k_tiles = 0;                         // in flight while one is multiplied
  int merged_groups = 0;                   // of the convolution, in a tile
  int halo_pixels = 0;                     // source pixels in LDS for all taps
  int walk_a = 0, walk_b = 0;  // cost of finding what to load, from 1 by ck::Walk; 0: by the
                               // problem's own axes
  int lane_channels = 0, lane_pixels = 0, lane_taps = 0;  // without a tile: the work of a lane
};

}  // namespace gridwise
