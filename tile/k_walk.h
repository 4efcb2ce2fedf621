#pragma once

#include "ck/arch/gpu.h"
#include "tile/bwd_data_args.h"

namespace gridwise::tile {

/// A filter tap of a sub-GEMM: its index along d, h and w in the classes.
struct TapIndex {
  int axis[3] = {0, 0, 0};

  GRIDWISE_DEVICE void Advance(const SubGemm& gemm) {
    if (++axis[2] < gemm.axis[2].taps) return;
    axis[2] = 0;
    if (++axis[1] < gemm.axis[1].taps) return;
    axis[1] = 0;
    ++axis[0];
  }
};

/// The K of a sub-GEMM as the steps of the main loop: the filter taps of its class, and for each of
/// them the output channels in slabs of `slab`. All of it is the same in every lane, so it lives in
/// scalar registers; what a step adds to an address is one offset for dy and one for w.
class KWalk {
 public:
  GRIDWISE_DEVICE KWalk(const BwdDataArgs& args, const SubGemm& gemm, int slab)
      : args_(args), gemm_(gemm), slab_(slab) {
    EnterTap();
  }

  GRIDWISE_DEVICE static int Steps(const BwdDataArgs& args, const SubGemm& gemm, int slab) {
    return Taps(gemm) * CeilDiv(args.k, slab);
  }

  GRIDWISE_DEVICE void Advance() {
    channel_ += slab_;
    offset_dy_ += slab_ * 2;
    offset_w_ += slab_ * w_row_bytes();
    if (channel_ >= args_.k) NextTap();
  }

  /// First output channel of the slab, and how many there are from it on.
  GRIDWISE_DEVICE int channel() const { return channel_; }
  GRIDWISE_DEVICE int channels_left() const { return args_.k - channel_; }
  /// The filter tap: its coordinates in the class, and its index ((t_d * taps_h) + t_h) * taps_w +
  /// t_w.
  GRIDWISE_DEVICE const TapIndex& t() const { return t_; }
  GRIDWISE_DEVICE int tap() const { return tap_; }
  /// Bytes from t = 0, channel 0 to this step.
  GRIDWISE_DEVICE int offset_dy() const { return offset_dy_; }
  GRIDWISE_DEVICE int offset_w() const { return offset_w_; }
  /// Bytes of w from one output channel to the next.
  GRIDWISE_DEVICE int w_row_bytes() const {
    return args_.filter[0] * args_.filter[1] * args_.filter[2] * args_.c * 2;
  }

 private:
  GRIDWISE_DEVICE void NextTap() {
    ++tap_;
    t_.Advance(gemm_);
    EnterTap();
  }

  GRIDWISE_DEVICE void EnterTap() {
    int out = 0, tap = 0;  // output cells, and cells of the filter
    for (int axis = 0; axis < 3; ++axis) {
      const AxisSteps steps = {args_.tap_step[axis], args_.out_step[axis]};
      out = out * args_.out[axis] + t_.axis[axis] * steps.out_step;
      tap = tap * args_.filter[axis] + Tap(gemm_.axis[axis], steps, t_.axis[axis]);
    }
    channel_ = 0;
    offset_dy_ = out * args_.dy_pixel * 2;
    offset_w_ = tap * args_.c * 2;
  }

  const BwdDataArgs& args_;
  const SubGemm& gemm_;
  const int slab_;
  TapIndex t_;
  int tap_ = 0;
  int channel_ = 0;
  int offset_dy_ = 0;
  int offset_w_ = 0;
};

}  // namespace gridwise::tile
