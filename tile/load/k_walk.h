#pragma once

#include "core/arch/gpu.h"
#include "tile/gather_args.h"

namespace gridwise::tile {

/// A filter tap of a sub-GEMM: its index along d, h and w in the classes.
struct TapIndex {
  int axis[3] = {0, 0, 0};

  /// Tap `tap` of ((t_d * taps_h) + t_h) * taps_w + t_w.
  GRIDWISE_DEVICE static TapIndex At(const SubGemm& gemm, int tap) {
    const int by_w = tap / gemm.axis[2].taps, by_h = by_w / gemm.axis[1].taps;
    return {.axis = {by_h, by_w - by_h * gemm.axis[1].taps, tap - by_w * gemm.axis[2].taps}};
  }

  GRIDWISE_DEVICE void Advance(const SubGemm& gemm) {
    if (++axis[2] < gemm.axis[2].taps) return;
    axis[2] = 0;
    if (++axis[1] < gemm.axis[1].taps) return;
    axis[1] = 0;
    ++axis[0];
  }
};

/// The K of a sub-GEMM as the steps of the main loop: the filter taps of its class, and for each of
/// them the source channels in slabs of `slab`. All of it is the same in every lane, so it lives in
/// scalar registers; what a step adds to an address is one offset for the source and one for w.
class KWalk {
 public:
  /// A tap's place among those that share a mask, see LoadSource.
  static constexpr int kTapsOfMask = 32;

  /// The walk of split `split` of args.splits.
  GRIDWISE_DEVICE KWalk(const GatherArgs& args, const SubGemm& gemm, int slab, int element_bytes,
                        int split)
      : args_(args), gemm_(gemm), slab_(slab), slab_bytes_(slab * element_bytes) {
    const int slabs = CeilDiv(args.k, slab), all_steps = Taps(gemm) * slabs;
    const int share = static_cast<int>(Divide(all_steps + args.splits - 1, args.by_splits));
    const int first = split * share;
    const int left = all_steps - first;
    steps_ = left < share ? (left < 0 ? 0 : left) : share;
    left_ = steps_;
    if (split == 0 || steps_ == 0) {
      EnterTap();
    } else {
      tap_ = first / slabs;
      t_ = TapIndex::At(gemm, tap_);
      mask_t_ = TapIndex::At(gemm, tap_ - tap_ % kTapsOfMask);
      EnterTap();
      const int slab_of_tap = first - tap_ * slabs;
      channel_ = slab_of_tap * slab_;
      offset_source_ += slab_of_tap * slab_bytes_;
      offset_w_ += channel_ * args_.w_k;
    }
  }

  /// Steps of this walk.
  GRIDWISE_DEVICE int steps() const { return steps_; }

  GRIDWISE_DEVICE void Advance() {
    is_first_ = false;
    if (--left_ <= 0) {  // past the last step
      channel_ = args_.k;
      return;
    }
    channel_ += slab_;
    offset_source_ += slab_bytes_;
    offset_w_ += slab_ * args_.w_k;
    if (channel_ >= args_.k) NextTap();
  }

  /// First source channel of the slab, and how many there are from it on; past the last step none.
  GRIDWISE_DEVICE int channel() const { return channel_; }
  GRIDWISE_DEVICE int channels_left() const { return args_.k - channel_; }
  /// The filter tap: its coordinates in the class, and its index ((t_d * taps_h) + t_h) * taps_w +
  /// t_w.
  GRIDWISE_DEVICE const TapIndex& t() const { return t_; }
  GRIDWISE_DEVICE int tap() const { return tap_; }
  /// The first tap of the mask that this step's tap is in, and whether it begins to be used.
  GRIDWISE_DEVICE const TapIndex& mask_t() const { return mask_t_; }
  GRIDWISE_DEVICE bool entered_mask() const {
    return is_first_ || (channel_ == 0 && tap_ % kTapsOfMask == 0);
  }
  /// Bytes from t = 0, channel 0 to this step, and from filter tap 0, channel 0 to this step.
  GRIDWISE_DEVICE int offset_source() const { return offset_source_; }
  GRIDWISE_DEVICE int offset_w() const { return offset_w_; }

 private:
  GRIDWISE_DEVICE void NextTap() {
    ++tap_;
    t_.Advance(gemm_);
    if (tap_ % kTapsOfMask == 0) mask_t_ = t_;
    EnterTap();
  }

  GRIDWISE_DEVICE void EnterTap() {
    int source = 0, tap = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const AxisStrides& strides = args_.strides[axis];
      source += t_.axis[axis] * strides.tap_source_stride * args_.source_cell[axis];
      tap = tap * args_.filter[axis] + Tap(gemm_.axis[axis], strides, t_.axis[axis]);
    }
    channel_ = 0;
    offset_source_ = source;
    offset_w_ = tap * args_.w_tap;
  }

  const GatherArgs& args_;
  const SubGemm& gemm_;
  const int slab_, slab_bytes_;
  int steps_, left_;
  bool is_first_ = true;
  TapIndex t_, mask_t_;
  int tap_ = 0;
  int channel_ = 0;
  int offset_source_ = 0;
  int offset_w_ = 0;
};

}  // namespace gridwise::tile
