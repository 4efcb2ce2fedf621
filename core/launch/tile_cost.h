#pragma once

#include "core/arch/device_facts.h"
#include "core/base/types.h"
#include "core/launch/cost.h"
#include "core/launch/share_k.h"

namespace gridwise {

/// What a workgroup does that computes a tile of a matrix product in steps of K, as estimates need
/// it: a row of the tile or the classic family.
struct TileSteps {
  double tile_elements = 0;  // of the output
  double output_factor = 1;  // of the clocks that staging in LDS and storing one of them takes
  int element_bytes = 0;     // of the operands
  double resident = 1;       // workgroups of a compute unit, as far as registers and LDS go

  // Of a step.
  double matrix_cycles = 0;     // of the matrix units
  double slab_bytes = 0;        // that come from memory into LDS
  double line_bytes = 0;        // of the lines of memory that they are in; 0: they fill them
  double read_bytes = 0;        // that waves read of LDS
  double written_bytes = 0;     // that waves write to LDS, one after the other
  double conflict_cycles = 0;   // that these writes take longer, since lanes share banks
  double lane_cycles = 0;       // of vector instructions of a wave, besides
  double swapped_elements = 0;  // of the slab, that are transposed in registers
  bool loads_apart = false;     // the last four are of waves that do nothing else
  double address_cycles = 0;    // of the address unit, for what is loaded; 0: less than the loads
  int barriers = 1;
  int slabs_in_flight = 1;

  double ragged_cycles = 0;  // of a workgroup: loads of parts of vectors
};

/// Estimates a launch of `splits` workgroups for each tile of `work`.
Cost TileCost(const DeviceFacts& device, const TileSteps& steps, const Work& work, int splits);

}  // namespace gridwise
