// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/device_facts.h"
#include "core/arch/mma_shape.h"
#include "core/base/types.h"
#include "core/cost/cost.h"
#include "core/estimate/split_k.h"
#include "core/estimate/tile_fit.h"
#include "core/launch/part_kernel.h"

namespace gridwise {

/// Instructions of all waves of a workgroup together, without matrix instructions.
struct Instructions {
  double vector = 0;  // instructions that take a SIMD as long as an f32 addition
  double scalar = 0;  // instructions of the scalar ALU
};

/// Elements that a wave reads from LDS for `a` elements of A and `b` of B. Elements that several
/// lanes hold count once per lane.
double ReadElements(const MmaShape& mma, double a, double b);

/// The work of a workgroup that computes a tile of a matrix product in steps of K, as estimates
/// need it, for an instance of the tile or the classic family.
struct TileSteps {
  double tile_elements = 0;  // of the output
  double output_factor = 1;  // relative clocks of staging an output element in LDS and storing it
  int element_bytes = 0;     // of operands
  double resident = 1;       // workgroups per compute unit, limited by registers and LDS

  // Per step.
  double matrix_cycles = 0;  // of the matrix units
  double matrix_simds = 1;   // part of the SIMDs that have matrix units; 0: vector ALUs multiply
  double k_tile_bytes = 0;   // bytes that go from memory to LDS
  double line_bytes = 0;     // bytes of the memory lines that contain them; 0: the same
  double window_bytes = 0;   // bytes of pixels that the steps of a tap read, and those of the next
                             // tap read again
  double window_part = 0;    // part of the k tile's bytes that belongs to such pixels
  double window_spread = 1;  // a step's lines of such pixels fall into one in this many of L2's
                             // sets
  double read_bytes = 0;     // bytes that waves read from LDS
  double written_bytes = 0;  // bytes that waves write to LDS, one after the other
  double conflict_cycles = 0;   // additional cycles of these writes, because lanes share banks
  double lane_cycles = 0;       // cycles of a wave's other vector instructions
  double swapped_elements = 0;  // elements of the k tile that are transposed in registers
  bool loads_apart = false;     // the last four belong to waves that do nothing else
  double address_cycles = 0;    // cycles of one address unit for the loads; 0: less than the loads
                                // take
  int barriers = 1;
  int k_tiles_in_flight = 1;
  bool loads_ahead = false;  // loads several k tiles into registers, as many as there may be steps

  // A wave issues these whether other waves wait or not: with a short K, most of the time.
  Instructions of_workgroup;  // before its first step and after its last one
  Instructions of_step;
  Instructions of_tap;  // additional ones in the first step of each tap but the first

  double ragged_cycles = 0;    // additional cycles of a step that loads parts of vectors
  double prologue_cycles = 0;  // cycles of a workgroup before its first load
  double fixup_bytes = 0;      // bytes of the sums of a tile whose splits the launch adds up
  double factor = 1;  // factor of everything that a workgroup takes, by measurement of the family
};

/// Estimates launches of `work`, which must outlive it. Terms that do not depend on the number of
/// splits are computed once.
class TileCost {
 public:
  TileCost(const DeviceFacts& device, const TileFit& fit, const TileSteps& steps, const Work& work);

  /// The cost of a launch with `splits` workgroups per tile, and of the launch that adds their
  /// sums.
  Cost Of(int splits) const { return WithCycles(TermsOf(splits)); }
  /// Of(splits) without its cycles.
  Cost TermsOf(int splits) const;
  /// Returns true only if Of(splits).cycles to the eighth power are over `eighth_power`. Uses a
  /// bound that takes a fraction of the time, and so may miss cases.
  bool Exceeds(int splits, double eighth_power) const;
  /// Whether that holds for every number of splits.
  bool AlwaysExceeds(double eighth_power) const;

 private:
  /// The cost of adding the sums of `splits` splits, in a separate launch or in this one.
  double PassCyclesOf(int splits) const;

  const DeviceFacts& device_;
  const TileFit& fit_;
  const TileSteps steps_;
  const Work& work_;
  const MachineFacts machine_;
  const double power_;                             // PowerFactor
  double instruction_;                             // clocks of a unit per instruction of a wave
  double lds_, address_, busy_, latency_, fixed_;  // per step, except the last of a workgroup
  double transfer_;       // per step of each unit, with L2 and the levels below it at their best
  double pass_;           // of a launch that adds sums, or of joining them, without their transfer
  double pass_of_split_;  // transfer of a split's sums, at best
};

/// How a launch of tiles splits K, and what it costs.
struct TileEstimate {
  SplitK split_k;
  Cost cost;  // without its cycles
};

/// ChooseSplitK by the estimates of an instance with operands of `type` whose work is `steps`.
TileEstimate EstimateTiles(const PartRequest& request, DataType type, const TileSteps& steps,
                           const Work& work);

}  // namespace gridwise
