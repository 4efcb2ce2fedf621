// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/kernel_args.h"
#include "core/arch/memory.h"
#include "core/base/math.h"
#include "direct/args.h"
#include "direct/kernel/lane.h"

namespace gridwise::direct {

/// The first filter taps of a workgroup: one along d, as many along h as a lane has rows of sums,
/// and DirectConfig::taps along w.
struct DirectTaps {
  int d, h, w;
};

/// Where a wave walks: through a plane along h and w of some images, from step `first` to before
/// `end`. Steps are rows of the output along h, or runs of its pixels along w. The other axis is
/// fixed.
struct DirectLine {
  Buffer dy, x;  // the planes of the first image
  int first, end, other;
  bool has_x;  // whether there is a plane of x
};

/// Output pixels of a step along h and w, and the source pixel that its first tap meets there.
struct DirectStep {
  int out_h, out_w, in_h, in_w;
};

/// The pixels of dy and x that a lane of a direct backward-weight kernel multiplies, line by line.
template <DirectConfig kC, Gfx kGfx>
class DirectWeightSource {
  static constexpr int kRows = kC.rows_of_lane();

 public:
  struct Loaded {
    DirectVec<kC> dy[kC.pixels], x[kC.window()];

    GRIDWISE_DEVICE Loaded() {
      if constexpr (!kConvertsFirst<kGfx>) return;
#pragma unroll
      for (auto& pixel : dy) pixel = {};
#pragma unroll
      for (auto& pixel : x) pixel = {};
    }
  };

  GRIDWISE_DEVICE DirectWeightSource(const DirectWeightArgs& args, const DirectTaps& taps, int item)
      : args_(&args), taps_(taps), image_(Divide(item, args.by_pairs)) {
    const int pair = item - image_ * args.pairs;
    const int k = Divide(pair, args.by_c);  // of all groups
    const int group = Divide(k, args.by_k);
    dy_offset_ = image_ * static_cast<int>(args.dy.image) + group * args.dy.group +
                 (k - group * args.k) * SizeOf(kC.type);
    x_offset_ = image_ * static_cast<int>(args.x.image) + group * args.x.group +
                (pair - k * args.c) * SizeOf(kC.type);
  }

  /// The line of steps `first` to before `end`. The steps and loads that follow are of this line.
  GRIDWISE_DEVICE DirectLine LineAt(int line, int first, int end) {
    args_ = &Reloaded(*args_);
    const int plane = Divide(line, args_->by_others), of_images = Divide(plane, args_->by_out_d);
    const int other = line - plane * args_->others;
    const int out_d = plane - of_images * args_->dy.size[0];
    const int in_d = out_d * args_->stride[0] + taps_.d * args_->dilation[0] - args_->pad[0];
    const bool has_x = IsPixel(in_d, args_->x.size[0]);
    const int image = of_images * args_->lane_images;
    const bool exists = image_ < args_->lane_images && image + image_ < args_->images;
    dy_at_ = OffsetIf(exists, dy_offset_);
    x_at_ = OffsetIf(exists, x_offset_);
    return {.dy = Plane(args_->dy, image, out_d),
            .x = Plane(args_->x, image, in_d),
            .first = first,
            .end = end,
            .other = kRows > 1 ? other * kC.pixels : other,
            .has_x = has_x};
  }

  GRIDWISE_DEVICE DirectStep StepAt(const DirectLine& line, int i) const {
    const int h = kRows > 1 ? i : line.other, w = kRows > 1 ? line.other : i * kC.pixels;
    return {.out_h = h,
            .out_w = w,
            .in_h = h * args_->stride[1] + taps_.h * args_->dilation[1] - args_->pad[1],
            .in_w = w * args_->stride[2] + taps_.w * args_->dilation[2] - args_->pad[2]};
  }

  /// Whether all pixels of a step exist along w.
  GRIDWISE_DEVICE bool IsInside(const DirectStep& at) const {
    return at.out_w + kC.pixels <= args_->dy.size[2] && at.in_w >= 0 &&
           at.in_w + (kC.window() - 1) * stride_w() < args_->x.size[2];
  }

  /// Loads the pixels of a step that exist, in rows that exist.
  template <bool kMasked>
  GRIDWISE_DEVICE void LoadRows(const DirectLine& line, const DirectStep& at, Loaded& to,
                                bool of_x) const {
    if (kRows == 1 || IsPixel(at.out_h, args_->dy.size[1])) {
      LoadDy<kMasked>(line, at.out_h, at.out_w, to.dy);
    }
    if (kRows == 1 || (of_x && IsPixel(at.in_h, args_->x.size[1]))) {
      LoadRow<kMasked>(line.x, x_at_, args_->x, {at.in_h, at.in_w, stride_w()}, to.x);
    }
  }
  template <bool kMasked>
  GRIDWISE_DEVICE void LoadDy(const DirectLine& line, int out_h, int out_w,
                              DirectVec<kC> (&to)[kC.pixels]) const {
    LoadRow<kMasked>(line.dy, dy_at_, args_->dy, {out_h, out_w, 1}, to);
  }

  GRIDWISE_DEVICE const DirectWeightArgs& args() const { return *args_; }
  GRIDWISE_DEVICE const DirectTaps& taps() const { return taps_; }

 private:
  GRIDWISE_DEVICE static Buffer Plane(const DirectTensor& tensor, int image, int d) {
    return Buffer::From<kGfx>(static_cast<const char*>(tensor.data) + image * tensor.image +
                              d * tensor.pixel[0]);
  }

  GRIDWISE_DEVICE int stride_w() const { return kC.taps == 1 ? args_->stride[2] : 1; }

  struct Pixels {
    int h, w, step;
  };
  template <bool kMasked, int kN>
  GRIDWISE_DEVICE static void LoadRow(const Buffer& plane, unsigned lane,
                                      const DirectTensor& tensor, const Pixels& pixels,
                                      DirectVec<kC> (&to)[kN]) {
    const int row = pixels.h * tensor.pixel[1];
#pragma unroll
    for (int i = 0; i < kN; ++i) {
      const int pixel = pixels.w + i * pixels.step, offset = pixel * tensor.pixel[2];
      if constexpr (!kMasked) {
        plane.LoadAgain(to[i], lane, row + offset);
      } else {
        // In the lane's offset, because a uniform offset may not be negative.
        plane.LoadAgain(
            to[i], OffsetIf(IsPixel(pixel, tensor.size[2]), static_cast<int>(lane) + offset), row);
      }
    }
  }

  const DirectWeightArgs* args_;  // reread in each line: scalar registers have no room for all
  const DirectTaps taps_;
  const int image_;           // of args_->lane_images
  int dy_offset_, x_offset_;  // of the lane's first pair and its image
  unsigned dy_at_, x_at_;     // the same for a line, if the image exists
};

}  // namespace gridwise::direct
