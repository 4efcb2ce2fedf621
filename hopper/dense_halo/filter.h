// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/dense_halo/config.h"
#include "hopper/halo/tile.h"
#include "hopper/kernel/roles.h"

namespace gridwise::hopper {

/// Where the filter's taps of a step of K are in shared memory, and how they get there.
template <HaloDenseConfig kC>
struct HaloDenseFilter {
  static constexpr int kTaps = kC.filter * kC.filter, kPixelBytes = kC.k_tile_bytes();

  /// Counts the bytes of a filter that stays in shared memory.
  GRIDWISE_DEVICE static Mbarrier Resident(const HaloArgs& args, SharedAddress base, int step) {
    return {base + args.barriers_at + kC.stages * 16 + step * 8};
  }
  GRIDWISE_DEVICE static SharedAddress At(const HaloArgs& args, SharedAddress base,
                                          SharedAddress stage, int step) {
    return kC.resident > 0 ? base + args.filter_at + step * args.k_tile_bytes
                           : stage + args.other_at;
  }
  /// Where the columns of the product that begins with a tap are, in units of filter_pitch. Taps
  /// that are loaded together lie in the order of w, which backward-data's is the reverse of.
  GRIDWISE_DEVICE static constexpr int PlaceOf(int tap) {
    if (!kC.b_runs_along_k()) return tap / kC.merged_taps();
    return kC.is_forward() || kC.merges_taps ? tap : kTaps - 1 - tap;
  }
  /// Bytes of a step's filter to load.
  GRIDWISE_DEVICE static int Bytes(const HaloArgs& args) {
    return kC.b_runs_along_k() ? kTaps * args.channels * kPixelBytes
                               : kTaps / kC.merged_taps() * args.filter_pitch;
  }

  /// Starts to load the filter of a step: from `channel` on, for the taps from `first` on.
  GRIDWISE_DEVICE static void Load(const HaloArgs& args, int channel, int first, SharedAddress to,
                                   Mbarrier bar) {
    const auto number = [&](int tap) __attribute__((always_inline)) {
      const HaloTap& of = args.tap[first + tap];
      return (of.z * kC.filter + of.y) * kC.filter + of.x;
    };
    if constexpr (kC.b_runs_along_k() && kC.merges_taps) {
#pragma unroll
      for (int tap = 0; tap < kTaps; ++tap) {
        LoadBox(to + tap * args.filter_pitch, args.other, bar, channel, 0, number(tap));
      }
    } else if constexpr (kC.b_runs_along_k()) {
      LoadBox(to, args.other, bar, channel, 0, number(kC.is_forward() ? 0 : kTaps - 1));
    } else {
#pragma unroll 1
      for (int tap = 0; tap < kTaps; tap += kC.merged_taps()) {
        const int column =
            number(tap + kC.merged_taps() - 1) * args.filter_columns;  // the filter's first
        const SharedAddress of_taps = to + tap / kC.merged_taps() * args.filter_pitch;
#pragma unroll
        for (int n = 0; n < kC.merged_taps() * kC.columns; n += 64) {
          if (n >= kC.merged_taps() * args.filter_columns) break;
          LoadBox(of_taps + n * kPixelBytes, args.other, bar, column + n, channel, 0);
        }
      }
    }
  }
};

}  // namespace gridwise::hopper
