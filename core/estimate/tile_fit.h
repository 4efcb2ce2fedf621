// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/target.h"
#include "core/conv/direction.h"

namespace gridwise {

/// Constants that estimates of tiles (tile_cost.h) need in addition to a machine's facts:
/// `//benchmarks:fit` fits them to the simulator's clock. In clocks unless noted.
struct TileFit {
  double missed = 0;       // part of the operands' bytes that miss L2
  double barrier = 0;      // per step and barrier: waves are out of step
  double first_reads = 0;  // per step, not hidden
  double swapped = 0;      // per element that is transposed in registers
  double output = 0;       // per output element: staged in LDS, and stored
  double launch = 0;       // dispatch and index arithmetic, per workgroup
  double ahead = 0;        // per workgroup that loads several k tiles before its first step
  double issue = 0;        // factor of the minimum clocks of instructions

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

/// The constants of a target: of kernels whose K is channels, and of those whose K is pixels
/// (backward-weight).
struct TileFits {
  TileFit along_channels, along_pixels;

  constexpr const TileFit& Of(Direction direction) const {
    return direction == Direction::kBackwardWeight ? along_pixels : along_channels;
  }
};
const TileFits& FindTileFits(Gfx gfx);

}  // namespace gridwise
