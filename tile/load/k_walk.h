// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"
#include "tile/gather_args.h"

namespace gridwise::tile {

/// The K of a sub-GEMM as runs of steps of the main loop: the filter taps of its phase, and for
/// each of them the source channels in k tiles of `k_tile`. The whole k tiles of a tap are one run,
/// and the k tile in which its channels end is another. The walk is the same in every lane, so it
/// lives in scalar registers. A run adds one offset to addresses of the source and one to those of
/// w.
class KWalk {
 public:
  /// The walk of split `split` of args.splits.
  GRIDWISE_DEVICE KWalk(const GatherArgs& args, const SubGemm& gemm, int k_tile, int element_bytes,
                        int split)
      : k_tile_(k_tile), element_bytes_(element_bytes), k_(args.k), w_k_(args.w_k) {
    for (int a = 0; a < 3; ++a) {
      const AxisStrides& strides = args.strides[a];
      taps_[a] = gemm.axis[a].taps;
      tap_pixels_[a] = strides.tap_source_stride;
      pixel_bytes_[a] = args.source_pixel[a];
      w_first_tap_ += gemm.axis[a].first_tap * args.w_tap[a];
      w_tap_[a] = strides.tap_stride * args.w_tap[a];
    }
    const int all_steps = Taps(gemm) * args.k_tiles;
    const int share = static_cast<int>(Divide(all_steps + args.splits - 1, args.by_splits));
    const int first = split * share;
    const int left = all_steps - first;
    steps_ = left < share ? (left < 0 ? 0 : left) : share;
    const int tap = Divide(first, args.by_k_tiles);
    const int by_w = Divide(tap, gemm.by_taps_w), by_h = Divide(by_w, gemm.by_taps_h);
    t_[0] = by_h;
    t_[1] = by_w - by_h * taps_[1];
    t_[2] = tap - by_w * taps_[2];
    channel_ = (first - tap * args.k_tiles) * k_tile_;
  }

  /// The same walk in another order: for each k tile of a split, from the first on, all taps
  /// (NextTapOfKTile).
  GRIDWISE_DEVICE static KWalk OverKTiles(const GatherArgs& args, const SubGemm& gemm, int k_tile,
                                          int element_bytes, int split) {
    KWalk walk(args, gemm, k_tile, element_bytes, /*split=*/0);
    const int share =
        static_cast<int>(Divide(args.k_tiles + args.splits - 1, args.by_splits)) * k_tile;
    walk.channel_ = split * share;
    walk.k_ = walk.k_ - walk.channel_ < share ? walk.k_ : walk.channel_ + share;
    return walk;
  }
  GRIDWISE_DEVICE void NextTapOfKTile() {
    const bool is_last = t_[2] == taps_[2] - 1 && t_[1] == taps_[1] - 1 && t_[0] == taps_[0] - 1;
    NextTap();
    t_[0] = is_last ? 0 : t_[0];
    channel_ += is_last ? k_tile_ : 0;
  }

  /// Steps of this walk, from the run's first step on.
  GRIDWISE_DEVICE int steps() const { return steps_; }

  /// Goes to the next run; the first call goes to the first run. Returns its steps. The run past
  /// the last step has no channels and no end.
  GRIDWISE_DEVICE int NextRun() {
    channel_ += run_ * k_tile_;
    steps_ -= run_;
    if (steps_ <= 0) [[unlikely]] {
      channel_ = k_;
      return 0x7fffffff;
    }
    if (channel_ >= k_) {
      channel_ = 0;
      NextTap();
    }
    const int whole = static_cast<int>(static_cast<unsigned>(k_ - channel_) / k_tile_);
    run_ = whole == 0 ? 1 : whole < steps_ ? whole : steps_;
    return run_;
  }

  /// Source channels from the run's first on; none past the last step.
  GRIDWISE_DEVICE int channels_left() const { return k_ - channel_; }
  /// The run's first channel.
  GRIDWISE_DEVICE int channel() const { return channel_; }
  /// Whether the channels fill its k tiles.
  GRIDWISE_DEVICE bool is_whole() const { return channels_left() >= k_tile_; }
  /// Source pixels from t = 0 to the run's filter tap along an axis.
  GRIDWISE_DEVICE int source_pixels(int axis) const { return t_[axis] * tap_pixels_[axis]; }
  /// Bytes from t = 0, channel 0 (of w: from filter tap 0, channel 0) to the run's first k tile.
  GRIDWISE_DEVICE int offset_source() const {
    int offset = channel_ * element_bytes_;
    for (int a = 0; a < 3; ++a) offset += source_pixels(a) * pixel_bytes_[a];
    return offset;
  }
  GRIDWISE_DEVICE int offset_w() const {
    int offset = w_first_tap_ + channel_ * w_k_;
    for (int a = 0; a < 3; ++a) offset += t_[a] * w_tap_[a];
    return offset;
  }

 private:
  GRIDWISE_DEVICE void NextTap() {
    const bool past_w = ++t_[2] == taps_[2];
    t_[2] = past_w ? 0 : t_[2];
    t_[1] += past_w;
    const bool past_h = t_[1] == taps_[1];
    t_[1] = past_h ? 0 : t_[1];
    t_[0] += past_h;
  }

  const int k_tile_, element_bytes_;
  int k_;
  const int w_k_;
  int taps_[3];  // of the phase
  int tap_pixels_[3],
      pixel_bytes_[3];   // source pixels from one tap to the next, and their distance
  int w_tap_[3];         // bytes from one tap to the next
  int w_first_tap_ = 0;  // bytes from filter tap 0 to t = 0
  int steps_;
  int run_ = 0;  // steps of the run
  int t_[3];     // its filter tap, as an index in the phase
  int channel_;  // its first channel
};

}  // namespace gridwise::tile
