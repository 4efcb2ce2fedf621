// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"
#include "tile/bwd_weight_args.h"

namespace gridwise::tile {

/// The K of backward-weight as runs of steps of the main loop: all output pixels of all images.
/// Steps go along one axis first, which the plan chooses to make runs few. The steps in which every
/// filter tap meets a pixel are one run, and each of the others is a run of its own. The walk is
/// the same in every lane, so it lives in scalar registers. Steps have pixels of one image, or of
/// several if `kImages`.
template <bool kImages>
class PixelWalk {
 public:
  /// The walk of split `split` of those that share the steps. `run` is the pixels of a run along w.
  GRIDWISE_DEVICE PixelWalk(const BwdWeightArgs& args, int run, int split)
      : order_(args.order),
        run_axis_(order_.run_axis),
        run_steps_(order_.run_steps),
        inside_begin_(order_.inside_begin),
        inside_end_(order_.inside_end),
        step_rows_(args.step_rows),
        outs_w_(run << args.log2_step_runs),
        images_(args.images) {
    const int first = split * args.split_steps, left = args.steps - first;
    steps_ = left < args.split_steps ? (left < 0 ? 0 : left) : args.split_steps;
    step_ = first;
    end_ = first + steps_;
    EnterRow();
  }

  /// Steps of this walk.
  GRIDWISE_DEVICE int steps() const { return steps_; }

  /// Goes to the next run; the first call goes to the first run. Returns its steps. The run past
  /// the last step has no pixels and no end.
  GRIDWISE_DEVICE int NextRun() {
    entered_row_ = is_first_;
    is_first_ = false;
    step_ += run_;
    at_ += run_;
    if (step_ >= end_) {
      exists_ = false;
      return 0x7fffffff;
    }
    if (at_ == run_steps_) {
      EnterRow();
      entered_row_ = true;
    }
    const int end = at_ >= inside_begin_ && at_ < inside_end_ ? inside_end_ : at_ + 1;
    run_ = end - at_ < end_ - step_ ? end - at_ : end_ - step_;
    return run_;
  }

  /// Whether the run has pixels, that is, is not past the last step.
  GRIDWISE_DEVICE bool exists() const { return exists_; }
  /// Whether the distance from the previous run differs from that of their steps.
  GRIDWISE_DEVICE bool entered_row() const { return entered_row_; }
  /// First image and output pixel of the run along each axis.
  GRIDWISE_DEVICE int image() const {
    if constexpr (kImages) return Step(StepOrder::kImage) << images_.log2_images;
    return Step(StepOrder::kImage);
  }
  GRIDWISE_DEVICE int out_d() const { return Step(StepOrder::kD); }
  GRIDWISE_DEVICE int out_h() const { return Step(StepOrder::kH) * step_rows_; }
  GRIDWISE_DEVICE int out_w() const { return Step(StepOrder::kW) * outs_w_; }
  /// Bytes from one step of a run to the next, in a tensor with such strides.
  GRIDWISE_DEVICE long StepBytes(long image, const int (&out_pixel)[3]) const {
    switch (run_axis_) {
      case StepOrder::kImage:
        return kImages ? image << images_.log2_images : image;
      case StepOrder::kD:
        return out_pixel[0];
      case StepOrder::kH:
        return out_pixel[1] * step_rows_;
      default:
        return out_pixel[2] * outs_w_;
    }
  }

 private:
  /// Enters a row of steps along the runs' axis.
  GRIDWISE_DEVICE void EnterRow() {
    int rest = Divide(step_, order_.by_run_steps);
    at_ = step_ - rest * order_.run_steps;
    for (int axis = 3; axis > 0; --axis) {
      const int next = Divide(rest, order_.by_others[axis]);
      others_[axis] = rest - next * order_.others[axis];
      rest = next;
    }
    others_[0] = rest;
  }
  GRIDWISE_DEVICE int Step(int axis) const { return run_axis_ == axis ? at_ : others_[axis]; }

  const StepOrder& order_;  // read where a row begins
  const int run_axis_, run_steps_, inside_begin_, inside_end_;
  const int step_rows_, outs_w_;
  const StepImages& images_;  // read where a row begins
  int steps_, step_, end_;    // of the walk; the run's first and the walk's last, among all steps
  int run_ = 0;               // steps of the run
  bool exists_ = true, is_first_ = true, entered_row_ = true;
  int at_;         // the run's first step along its axis
  int others_[4];  // and along the other axes
};

}  // namespace gridwise::tile
