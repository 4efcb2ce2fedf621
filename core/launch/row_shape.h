#pragma once

namespace gridwise {

/// A row as numbers, for models of its time, whatever its family; zeros where it has no such thing.
struct RowShape {
  int tile_m = 0, tile_n = 0, tile_k = 0;  // elements of a workgroup's output, and of a step
  int waves = 0, load_waves = 0;           // of a workgroup, that multiply, and that only load
  int occupancy = 0;                       // waves of a SIMD that registers are allocated for
  int mma_m = 0, mma_n = 0, mma_k = 0;     // of a matrix instruction
  int vector_a = 0, vector_b = 0;          // elements that a lane loads at a time
  int transposes_a = 0, transposes_b = 0;  // 1 where lanes or reads of LDS transpose what they load
  int lds_bytes = 0;                       //
  int slabs = 0;                           // on their way while one is multiplied
  int merged_groups = 0;                   // of the convolution, in a tile
};

}  // namespace gridwise
