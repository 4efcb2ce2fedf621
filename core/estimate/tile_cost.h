#pragma once

#include "core/arch/device_facts.h"
#include "core/arch/machine_facts.h"
#include "core/arch/mma_shape.h"
#include "core/base/types.h"
#include "core/cost/cost.h"
#include "core/estimate/split_k.h"
#include "core/estimate/tile_fit.h"
#include "core/launch/part_kernel.h"

namespace gridwise {

/// Instructions of all waves of a workgroup together, besides matrix ones.
struct Instructions {
  double vector = 0;  // in those that take a SIMD as long as an addition of f32
  double scalar = 0;  // of the scalar ALU
};

/// Elements that a wave reads of LDS for `a` elements of A and `b` of B: what several of its lanes
/// hold, LDS gives to each.
double ReadElements(const MmaShape& mma, double a, double b);

/// What a workgroup does that computes a tile of a matrix product in steps of K, as estimates need
/// it: an instance of the tile or the classic family.
struct TileSteps {
  double tile_elements = 0;  // of the output
  double output_factor = 1;  // of the clocks that staging in LDS and storing one of them takes
  int element_bytes = 0;     // of the operands
  double resident = 1;       // workgroups of a compute unit, as far as registers and LDS go

  // Of a step.
  double matrix_cycles = 0;  // of the matrix units
  double matrix_simds = 1;   // part of the SIMDs that have those; 0: vector ALUs multiply
  double k_tile_bytes = 0;   // that come from memory into LDS
  double line_bytes = 0;     // of the lines of memory that they are in; 0: they fill them
  double window_bytes = 0;   // of pixels that the steps of a tap read, and those of the next again
  double window_part = 0;    // of the k tile's bytes, that are of such pixels
  double window_spread = 1;  // of L2's sets, a step's lines of such pixels fall into one in so many
  double read_bytes = 0;     // that waves read of LDS
  double written_bytes = 0;  // that waves write to LDS, one after the other
  double conflict_cycles = 0;   // that these writes take longer, since lanes share banks
  double lane_cycles = 0;       // of vector instructions of a wave, besides
  double swapped_elements = 0;  // of the k tile, that are transposed in registers
  bool loads_apart = false;     // the last four are of waves that do nothing else
  double address_cycles = 0;    // of one address unit, for what is loaded; 0: less than the loads
  int barriers = 1;
  int k_tiles_in_flight = 1;
  bool loads_ahead = false;  // several k tiles into registers, as many as there may be steps

  // A wave issues them, whether other waves wait or not: of a short K, most of the time.
  Instructions of_workgroup;  // before its first step, and behind its last one
  Instructions of_step;
  Instructions of_tap;  // and more of a step that is the first one of a tap, but for the first tap

  double ragged_cycles = 0;    // more of a step that loads parts of vectors
  double prologue_cycles = 0;  // of a workgroup, before its first load
  double fixup_bytes = 0;      // of the sums of a tile, whose splits are joined in the launch
  double factor = 1;           // of all that a workgroup takes, by measurement of the family
};

/// Estimates launches of `work`, which outlives it. What does not depend on the number of splits is
/// computed once.
class TileCost {
 public:
  TileCost(const DeviceFacts& device, const TileFit& fit, const TileSteps& steps, const Work& work);

  /// Of a launch of `splits` workgroups for each tile, and the launch that adds their sums up.
  Cost Of(int splits) const { return WithCycles(TermsOf(splits)); }
  /// Of(splits) but for its cycles.
  Cost TermsOf(int splits) const;
  /// Whether Of(splits).cycles to the eighth power are over `eighth_power`, as far as a bound tells
  /// that takes a fraction of the time.
  bool IsOver(int splits, double eighth_power) const;
  /// Whether that is so of any number of splits.
  bool IsAlwaysOver(double eighth_power) const;

 private:
  /// Of adding up the sums of so many splits, in a launch of its own or in this one.
  double PassOf(int splits) const;

  const DeviceFacts& device_;
  const TileFit& fit_;
  const TileSteps steps_;
  const Work& work_;
  const MachineFacts machine_;
  const double power_;  // PowerFactor
  double instruction_;  // clocks of a unit that an instruction of a wave takes
  double lds_, address_, busy_, latency_, fixed_;  // of a step, but the last of a workgroup
  double transfer_;  // of a step of each unit, L2 and what is behind it at their best
  double pass_;      // of a launch that adds sums up, or of joining them, besides their transfer
  double pass_of_split_;  // transfer of a split's sums at best
};

/// How a launch of tiles shares K, and what it costs.
struct TileEstimate {
  SplitK split_k;
  Cost cost;  // but for its cycles
};

/// ChooseSplitK by the estimates of an instance for operands of `type` that takes `steps`.
TileEstimate EstimateTiles(const PartRequest& request, DataType type, const TileSteps& steps,
                           const Work& work);

}  // namespace gridwise
