// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/base/config.h"
#include "hopper/gather/args.h"
#include "hopper/kernel/roles.h"

/// The tiles of a workgroup, and the steps of their K.

namespace gridwise::hopper {

/// A tile of a sub-GEMM and a group, and the part of K that a workgroup sums.
struct GatherTileAt {
  int index;  // which sub-GEMM
  int group, split;
  int row, column;  // first pixel and channel
  int first, end;   // steps of K
  int partial;      // of which the last ones skip products

  GRIDWISE_DEVICE int steps() const { return end - first; }
};

/// Uses few instructions: the producer loads nothing while it finds a tile, and consumers find
/// theirs while they multiply a single k tile.
template <Config kC>
GRIDWISE_DEVICE GatherTileAt FindTile(const GatherArgs& args, int tile) {
  GatherTileAt found = {};
  found.group = Quotient(tile, args.by_tiles);
  tile -= found.group * args.tiles;
  int m_tile = Quotient(tile, args.by_splits);
  found.split = tile - m_tile * args.splits;
  const TileCoord coord = TileCoordOf(args.order, m_tile);
  m_tile = coord.row;
  found.column = coord.column * kC.channels();
  int first_tile = 0, steps = args.steps[0], whole = args.whole[0];
  if (args.phases_alternate) {
    // Varies the phase for a workgroup, whose tiles are equally far apart.
    const int of_phase = Quotient(m_tile, args.by_sub_gemms);
    const int shifted = m_tile + of_phase;
    found.index = shifted - Quotient(shifted, args.by_sub_gemms) * args.sub_gemms;
    first_tile = args.gemm[found.index].first_tile;
    steps = args.steps[found.index];
    whole = args.whole[found.index];
    m_tile = first_tile + of_phase;
  } else if (args.sub_gemms > 1) {
#pragma unroll
    for (int i = 1; i < kMaxPhases; ++i) {
      if (i >= args.sub_gemms || m_tile < args.gemm[i].first_tile) continue;
      found.index = i;
      first_tile = args.gemm[i].first_tile;
      steps = args.steps[i];
      whole = args.whole[i];
    }
  }
  found.row = (m_tile - first_tile) * kC.pixels();
  found.end = steps;
  if (args.splits > 1) {
    found.first = Quotient(steps * found.split, args.by_splits);
    found.end = Quotient(steps * (found.split + 1), args.by_splits);
  }
  const int after_whole = found.end - (whole > found.first ? whole : found.first);
  found.partial = after_whole > 0 ? after_whole : 0;
  return found;
}

/// A step of K: a filter tap of a sub-GEMM, and a k tile of channels.
class GatherStep {
 public:
  GRIDWISE_DEVICE GatherStep(const GatherArgs& args, const SubGemm& gemm, int step)
      : args_(args), gemm_(gemm) {
    if (step > 0) {
      const int taps = Taps(gemm);
      int tap = args.channels_outside ? step % taps : step / args.k_tiles;
      k_tile = args.channels_outside ? step / taps : step % args.k_tiles;
      t_[2] = tap % gemm.axis[2].taps;
      tap /= gemm.axis[2].taps;
      t_[1] = tap % gemm.axis[1].taps;
      t_[0] = tap / gemm.axis[1].taps;
    }
    SetAddresses();
  }

  GRIDWISE_DEVICE void Next() {
    if (args_.channels_outside) {
      if (NextTap()) ++k_tile;
    } else if (++k_tile == args_.k_tiles) {
      k_tile = 0;
      NextTap();
    }
  }

  /// The first channel of the k tile.
  template <Config kC>
  GRIDWISE_DEVICE int channel() const {
    const int first = k_tile * kC.k_tile;
    return first < args_.last_channel ? first : args_.last_channel;
  }

  int k_tile = 0;
  int tap;      // which tap of w
  int move[3];  // source pixels from the first tap to this one

 private:
  /// Whether the first follows.
  GRIDWISE_DEVICE bool NextTap() {
    bool is_first = true;
#pragma unroll
    for (int axis = 2; axis >= 0; --axis) {
      if (!is_first) break;
      is_first = ++t_[axis] == gemm_.axis[axis].taps;
      if (is_first) t_[axis] = 0;
    }
    SetAddresses();
    return is_first;
  }
  GRIDWISE_DEVICE void SetAddresses() {
    tap = 0;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      tap = tap * args_.filter[axis] + Tap(gemm_.axis[axis], args_.strides[axis], t_[axis]);
      move[axis] = t_[axis] * args_.strides[axis].tap_source_stride;
    }
  }

  const GatherArgs& args_;
  const SubGemm& gemm_;
  int t_[3] = {0, 0, 0};
};

}  // namespace gridwise::hopper
