// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/math.h"
#include "hopper/kernel/ring.h"

/// Products of three taps that are adjacent along w, at once: they share operand A, pixels of a
/// patch, and each tap has separate columns. The sums of a tap belong to the pixel that is as many
/// rows earlier.

namespace gridwise::hopper {

/// Adds up the taps' sums for a warpgroup's 64 rows. kColumns is the number of columns per tap: a
/// multiple of 4, or of 8 if the columns of the last tap come first.
template <int kColumns, bool kReversed = false>
struct TapMerge {
  static_assert(!kReversed || kColumns % 8 == 0);
  static constexpr int kProduct = AlignUp(3 * kColumns, 8), kPieces = AlignUp(kColumns, 8) / 8;
  using Sums = float[kProduct / 2];  // per thread, see core/arch/wgmma.h
  using Two = Vec<float, 2>;
  static constexpr int kBytes = 4 * 12 * kPieces * 8;  // shared by the warps

  char* shared;

  /// Sums of a tap for the piece of 8 columns that is in the position of the first tap's. If the
  /// piece begins within another, they are in a lane two further or before.
  template <int kHalf>
  GRIDWISE_DEVICE static Two OfTap(const Sums& d, int tap, int piece) {
    const int position = kReversed ? 2 - tap : tap, first = position * kColumns / 8 + piece;
    const int at = position * kColumns % 8 != 0 && ThreadId() % 4 < 2 ? first + 1 : first;
    return at == first ? Two{d[first * 4 + kHalf * 2], d[first * 4 + kHalf * 2 + 1]}
                       : Two{d[first * 4 + 4 + kHalf * 2], d[first * 4 + 4 + kHalf * 2 + 1]};
  }
  /// Where a warp puts its first rows, as many as the tap's number, for the previous warp.
  GRIDWISE_DEVICE Two* FirstRows(int warp, int tap) const {
    const int lane = warp * 12 + (tap - 1) * 4 + ThreadId() % 32;
    return reinterpret_cast<Two*>(shared) + lane * kPieces;
  }

  GRIDWISE_DEVICE void Share(const Sums& d) const {
#pragma unroll
    for (int tap = 1; tap <= 2; ++tap) {
      if (ThreadId() % 32 >= 4 * tap) continue;
#pragma unroll
      for (int i = 0; i < kPieces; ++i) {
        FirstRows(ThreadId() % 128 / 32, tap)[i] = OfTap<0>(d, tap, i);
      }
    }
  }

  /// Adds the sums of the other taps to those of the first, for all rows but the last two; the sums
  /// become the first columns. Called by whole warps, when all have shared.
  GRIDWISE_DEVICE void Add(Sums& d) const {
    const int lane = ThreadId() % 32, next = (ThreadId() % 128 / 32 + 1) % 4;
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      Two low_sum = OfTap<0>(d, 0, i), high_sum = OfTap<1>(d, 0, i);
#pragma unroll
      for (int tap = 1; tap <= 2; ++tap) {
        const int rows = 4 * tap, columns = tap * kColumns % 8 / 2;  // distance in lanes
        const int from = (lane + rows) % 32 / 4 * 4 + (lane + columns) % 4;
        const bool is_first = lane < rows;  // whose rows are needed by the last lanes of the
                                            // previous 8 rows
        const Two low = OfTap<0>(d, tap, i), high = OfTap<1>(d, tap, i);
        const Two after = is_first ? FirstRows(next, tap)[i] : high;
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          low_sum[e] += ShuffleFrom(is_first ? high[e] : low[e], from);
          high_sum[e] += ShuffleFrom(after[e], from);
        }
      }
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        d[i * 4 + e] = low_sum[e];
        d[i * 4 + 2 + e] = high_sum[e];
      }
    }
  }
};

}  // namespace gridwise::hopper
