#pragma once

#include "core/arch/gpu.h"
#include "tile/bwd_weight_args.h"

namespace gridwise::tile {

/// The K of backward-weight as the steps of the main loop: all output cells of all images, w
/// innermost. It is the same in every lane, so it lives in scalar registers.
class CellWalk {
 public:
  /// The walk of split `split` of those that share the steps. `run`: cells of a run.
  GRIDWISE_DEVICE CellWalk(const BwdWeightArgs& args, int run, int split) : args_(args), run_(run) {
    const int all_steps = args.batch * args.out[0] * args.steps_h * args.steps_w;
    const int first = split * args.split_steps, left = all_steps - first;
    steps_ = left < args.split_steps ? (left < 0 ? 0 : left) : args.split_steps;
    left_ = steps_;
    if (split == 0) return;
    const int by_w = first / args.steps_w, by_h = by_w / args.steps_h;
    image_ = by_h / args.out[0];
    d_ = by_h - image_ * args.out[0];
    h_ = by_w - by_h * args.steps_h;
    w_ = first - by_w * args.steps_w;
  }

  /// Steps of this walk.
  GRIDWISE_DEVICE int steps() const { return steps_; }

  GRIDWISE_DEVICE void Advance() {
    is_first_ = false;
    if (--left_ <= 0) {  // past the last step
      image_ = args_.batch;
      d_ = h_ = w_ = 0;
      return;
    }
    if (++w_ < args_.steps_w) return;
    w_ = 0;
    if (++h_ < args_.steps_h) return;
    h_ = 0;
    if (++d_ < args_.out[0]) return;
    d_ = 0;
    ++image_;
  }

  /// Whether no step came before.
  GRIDWISE_DEVICE bool is_first() const { return is_first_; }
  /// Past the last step: the number of images.
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
  int steps_, left_;
  bool is_first_ = true;
  int image_ = 0, d_ = 0, h_ = 0, w_ = 0;
};

}  // namespace gridwise::tile
