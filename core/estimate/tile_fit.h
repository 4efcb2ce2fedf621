#pragma once

#include "core/arch/target.h"

namespace gridwise {

/// What estimates of tiles (tile_cost.h) need beyond a machine's facts: fits to the simulator's
/// clock, by `//benchmarks:fit`. Clocks unless said otherwise.
struct TileFit {
  double missed = 0;       // part of the operands' bytes that L2 lacks
  double barrier = 0;      // of a step, for each of its barriers: waves are out of step
  double first_reads = 0;  // of a step, which nothing hides
  double swapped = 0;      // of an element that is transposed in registers
  double output = 0;       // of an element of the output: staged in LDS, and stored
  double launch = 0;       // dispatch and index arithmetic of a workgroup
  double ahead = 0;        // of a workgroup that loads several k tiles before its first step
  double issue = 0;        // factor of the clocks that instructions take at best

  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [missed, barrier, first_reads, swapped, output, launch, ahead, issue] = self;
    visit("missed", missed);
    visit("barrier", barrier);
    visit("first_reads", first_reads);
    visit("swapped", swapped);
    visit("output", output);
    visit("launch", launch);
    visit("ahead", ahead);
    visit("issue", issue);
  }
};

/// Those of kernels whose K are channels, or of backward-weight's, whose K are pixels.
const TileFit& TileFitOf(Gfx gfx, bool along_pixels);
/// The same to be changed, by a program that fits it: not while another thread estimates.
TileFit& MutableTileFit(Gfx gfx, bool along_pixels);

}  // namespace gridwise
