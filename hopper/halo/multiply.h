// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/wgmma.h"
#include "hopper/halo/args.h"
#include "hopper/halo/config.h"
#include "hopper/kernel/roles.h"

/// The products of a tile.

namespace gridwise::hopper {

/// Sums of a thread: for pixels 64 * rep of its warpgroup and all channels of the block.
template <HaloConfig kC>
struct HaloSums {
  Element<SumType(kC.type)> d[kC.phases()][kC.reps][kC.block() / 2];
};

/// Starts the products of all groups at a tap, for pixels that begin at `a`.
template <HaloConfig kC, bool kFirst>
GRIDWISE_DEVICE void StartTap(Element<SumType(kC.type)> (&d)[kC.reps][kC.block() / 2],
                              MatrixDescriptor a, MatrixDescriptor b) {
  constexpr int kRun = kC.channels, kSums = kRun / 2, kStepBytes = 32;
  using Sums = Element<SumType(kC.type)>[kSums];
#pragma unroll
  for (int rep = 0; rep < kC.reps; ++rep) {
#pragma unroll
    for (int step = 0; step < kC.run_bytes() / kStepBytes; ++step) {
#pragma unroll
      for (int run = 0; run < kC.block() / kRun; ++run) {
        auto& sums = *reinterpret_cast<Sums*>(&d[rep][run * kSums]);
        Wgmma<kRun, kC.type, OperandOrder::kRunsAlongK, OperandOrder::kRunsAlongK>(
            sums, Moved(a, rep * 64 * kC.pixel_bytes() + run * kC.run_bytes() + step * kStepBytes),
            Moved(b, run * kRun * kC.run_bytes() + step * kStepBytes), !kFirst || step != 0);
      }
    }
  }
}

template <HaloConfig kC>
GRIDWISE_DEVICE void MultiplyTaps(HaloSums<kC>& sums, const HaloArgs& args, SharedAddress pixels,
                                  SharedAddress filter) {
  constexpr int kTapBytes = kC.filter_bytes(1);
  const MatrixDescriptor a = RunsAlongK<kC.pixel_bytes()>(OfWarp(pixels));
  const MatrixDescriptor b = RunsAlongK<kC.run_bytes()>(OfWarp(filter));
  WgmmaFence();
  if constexpr (kC.filter == 0) {
    StartTap<kC, true>(sums.d[0], Moved(a, args.tap[0].at), b);
#pragma clang loop unroll(disable)
    for (int tap = 1; tap < args.phase_end[0]; ++tap) {
      StartTap<kC, false>(sums.d[0], Moved(a, args.tap[tap].at), Moved(b, tap * kTapBytes));
    }
  } else {
    int tap = 0;
#pragma unroll
    for (int i = 0; i < kC.phases(); ++i) {
      StartTap<kC, true>(sums.d[i], Moved(a, args.tap[tap].at), Moved(b, tap * kTapBytes));
      ++tap;
#pragma unroll
      for (int t = 1; t < kC.taps_of_phase(i); ++t, ++tap) {
        StartTap<kC, false>(sums.d[i], Moved(a, args.tap[tap].at), Moved(b, tap * kTapBytes));
      }
    }
  }
  WgmmaCommit();
  WgmmaWait<0>();
#pragma unroll
  for (auto& of_phase : sums.d) {
#pragma unroll
    for (auto& of_rep : of_phase) Touch(of_rep);
  }
}

/// A bit mask: whether a thread's row of 8 * half, plus 2 rep, is a pixel of its tile. Other rows
/// belong to pixels that nobody loaded.
template <HaloConfig kC>
GRIDWISE_DEVICE unsigned RowsOfTile(const HaloArgs& args, int warpgroup) {
  unsigned rows = 0;
#pragma unroll
  for (int i = 0; i < kC.reps * 2; ++i) {
    const int pixel = (warpgroup * kC.reps + i / 2) * 64 + ThreadId() % 128 / 32 * 16 +
                      ThreadId() % 32 / 4 + i % 2 * 8;
    const int h = Quotient(pixel, args.by_pitch);
    if (h < args.tile_h && pixel - h * args.pitch < args.tile_w) rows |= 1u << i;
  }
  return rows;
}

/// Whether this thread has a sum that is not finite in one of these instances.
template <HaloConfig kC>
GRIDWISE_DEVICE bool HasNonFinite(const HaloSums<kC>& sums, unsigned rows) {
  bool found = false;
#pragma unroll
  for (int row = 0; row < kC.reps * 2; ++row) {
    float zero[2] = {};  // times zero, such sums are NaN
#pragma unroll
    for (int i = 0; i < kC.phases(); ++i) {
#pragma unroll
      for (int j = row % 2 * 2; j < kC.block() / 2; j += 4) {
        zero[0] = __builtin_fmaf(sums.d[i][row / 2][j], 0, zero[0]);
        zero[1] = __builtin_fmaf(sums.d[i][row / 2][j + 1], 0, zero[1]);
      }
    }
    const float both = zero[0] + zero[1];
    found |= both != both && (rows >> row & 1) != 0;
  }
  return found;
}

}  // namespace gridwise::hopper
