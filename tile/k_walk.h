#pragma once

#include "ck/arch/gpu.h"
#include "tile/gather_args.h"

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
/// them the source channels in slabs of `slab`. All of it is the same in every lane, so it lives in
/// scalar registers; what a step adds to an address is one offset for the source and one for w.
class KWalk {
 public:
  GRIDWISE_DEVICE KWalk(const GatherArgs& args, const SubGemm& gemm, int slab, int element_bytes)
      : args_(args), gemm_(gemm), slab_(slab), slab_bytes_(slab * element_bytes) {
    EnterTap();
  }

  GRIDWISE_DEVICE static int Steps(const GatherArgs& args, const SubGemm& gemm, int slab) {
    return Taps(gemm) * CeilDiv(args.k, slab);
  }

  GRIDWISE_DEVICE void Advance() {
    channel_ += slab_;
    offset_source_ += slab_bytes_;
    offset_w_ += slab_ * args_.w_k;
    if (channel_ >= args_.k) NextTap();
  }

  /// First source channel of the slab, and how many there are from it on.
  GRIDWISE_DEVICE int channel() const { return channel_; }
  GRIDWISE_DEVICE int channels_left() const { return args_.k - channel_; }
  /// The filter tap: its coordinates in the class, and its index ((t_d * taps_h) + t_h) * taps_w +
  /// t_w.
  GRIDWISE_DEVICE const TapIndex& t() const { return t_; }
  GRIDWISE_DEVICE int tap() const { return tap_; }
  /// Bytes from t = 0, channel 0 to this step, and from filter tap 0, channel 0 to this step.
  GRIDWISE_DEVICE int offset_source() const { return offset_source_; }
  GRIDWISE_DEVICE int offset_w() const { return offset_w_; }

 private:
  GRIDWISE_DEVICE void NextTap() {
    ++tap_;
    t_.Advance(gemm_);
    EnterTap();
  }

  GRIDWISE_DEVICE void EnterTap() {
    int source = 0, tap = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const AxisSteps& steps = args_.steps[axis];
      source += t_.axis[axis] * steps.tap_source_step * args_.source_cell[axis];
      tap = tap * args_.filter[axis] + Tap(gemm_.axis[axis], steps, t_.axis[axis]);
    }
    channel_ = 0;
    offset_source_ = source;
    offset_w_ = tap * args_.w_tap;
  }

  const GatherArgs& args_;
  const SubGemm& gemm_;
  const int slab_, slab_bytes_;
  TapIndex t_;
  int tap_ = 0;
  int channel_ = 0;
  int offset_source_ = 0;
  int offset_w_ = 0;
};

}  // namespace gridwise::tile
