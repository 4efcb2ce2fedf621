#pragma once

#include "ck/arch/gpu.h"
#include "tile/bwd_weight_args.h"

namespace gridwise::tile {

/// The K of backward-weight as the steps of the main loop: all output cells of all images, w
/// innermost. It is the same in every lane, so it lives in scalar registers.
class CellWalk {
 public:
  GRIDWISE_DEVICE CellWalk(const BwdWeightArgs& args, int run) : args_(args), run_(run) {}

  GRIDWISE_DEVICE static int Steps(const BwdWeightArgs& args) {
    return args.batch * args.out[0] * args.steps_h * args.steps_w;
  }

  GRIDWISE_DEVICE void Advance() {
    ++step_;
    if (++w_ < args_.steps_w) return;
    w_ = 0;
    if (++h_ < args_.steps_h) return;
    h_ = 0;
    if (++d_ < args_.out[0]) return;
    d_ = 0;
    ++image_;
  }

  /// Index of the step.
  GRIDWISE_DEVICE int step() const { return step_; }
  GRIDWISE_DEVICE int image() const { return image_; }
  /// First output cell of the step along d and h.
  GRIDWISE_DEVICE int out_d() const { return d_; }
  GRIDWISE_DEVICE int out_h() const { return h_ * args_.step_rows; }
  /// Index of the step along w, and the output cells from one to the next.
  GRIDWISE_DEVICE int w() const { return w_; }
  GRIDWISE_DEVICE int outs_w() const { return run_ << args_.log2_step_runs; }

 private:
  const BwdWeightArgs& args_;
  const int run_;
  int step_ = 0, image_ = 0, d_ = 0, h_ = 0, w_ = 0;
};

}  // namespace gridwise::tile
