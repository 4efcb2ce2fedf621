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
};

/// Output pixels of a step along h and w, and the source pixel that its first tap meets there.
struct DirectStep {
  int out_h, out_w, in_h, in_w;
};

/// One lane of a direct backward-weight kernel: the sums of its pairs (k, c), over some output
/// pixels.
template <DirectConfig kC, Gfx kGfx>
class DirectWeightLane {
  static constexpr int kRows = kC.rows_of_lane();

 public:
  GRIDWISE_DEVICE DirectWeightLane(const DirectWeightArgs& args, const DirectTaps& taps, int item)
      : args_(&args), taps_(taps), image_(Divide(item, args.by_pairs)) {
    const int pair = item - image_ * args.pairs;
    const int k = Divide(pair, args.by_c);  // of all groups
    const int group = Divide(k, args.by_k);
    dy_offset_ = image_ * static_cast<int>(args.dy.image) + group * args.dy.group +
                 (k - group * args.k) * SizeOf(kC.type);
    x_offset_ = image_ * static_cast<int>(args.x.image) + group * args.x.group +
                (pair - k * args.c) * SizeOf(kC.type);
#pragma unroll
    for (auto& row : sums_) {
#pragma unroll
      for (auto& tap : row) {
#pragma unroll
        for (float& sum : tap) sum = 0;
      }
    }
  }

  /// Adds the products of `count` steps from `first` on, in all lines.
  GRIDWISE_DEVICE void AddSteps(int first, int count) { VisitLines<false>(first, count); }

  /// Finds the sums that have, in `count` steps from `first` on, products of padding and a dy that
  /// is not finite. Call it before AddSteps(), which skips padding and needs all registers.
  GRIDWISE_DEVICE void FindSpoiled(int first, int count) { VisitLines<true>(first, count); }

  GRIDWISE_DEVICE float Sum(int row, int tap, int channel) const {
    return SpoiledSum(sums_[row][tap][channel], spoiled_, row * kC.channels + channel);
  }

 private:
  /// Walks line after line of `count` steps from `first` on: finds sums that padding spoils, or
  /// adds products.
  template <bool kSpoils>
  GRIDWISE_DEVICE void VisitLines(int first, int count) {
    const int all = args_->lines * args_->steps;
    for (int end = first + count < all ? first + count : all; first < end;) {
      const int line = Divide(first, args_->by_steps), begin = line * args_->steps;
      const int line_end = begin + args_->steps < end ? begin + args_->steps : end;
      if constexpr (kSpoils) {
        SpoilLine(line, first - begin, line_end - begin);
      } else {
        AddLine(line, first - begin, line_end - begin);
      }
      first = line_end;
    }
  }

  /// The line of steps `first` to before `end`, and whether it has a plane of x.
  GRIDWISE_DEVICE DirectLine LineAt(int line, int first, int end, bool& has_x) {
    args_ = &Reloaded(*args_);
    const int plane = Divide(line, args_->by_others), of_images = Divide(plane, args_->by_out_d);
    const int other = line - plane * args_->others;
    const int out_d = plane - of_images * args_->dy.size[0];
    const int in_d = out_d * args_->stride[0] + taps_.d * args_->dilation[0] - args_->pad[0];
    has_x = IsPixel(in_d, args_->x.size[0]);
    const int image = of_images * args_->lane_images;
    const bool exists = image_ < args_->lane_images && image + image_ < args_->images;
    dy_at_ = OffsetIf(exists, dy_offset_);
    x_at_ = OffsetIf(exists, x_offset_);
    return {.dy = Plane(args_->dy, image, out_d),
            .x = Plane(args_->x, image, in_d),
            .first = first,
            .end = end,
            .other = kRows > 1 ? other * kC.pixels : other};
  }

  GRIDWISE_DEVICE void AddLine(int line, int first, int end) {
    bool has_x;
    const DirectLine to_walk = LineAt(line, first, end, has_x);
    if (!has_x) return;
    if constexpr (kRows > 1) {
      if (IsInside(StepAt(to_walk, first))) {
        WalkAlongH<false>(to_walk);
      } else {
        WalkAlongH<true>(to_walk);
      }
    } else {
      WalkAlongRow(to_walk);
    }
  }

  GRIDWISE_DEVICE void SpoilLine(int line, int first, int end) {
    bool has_x;
    const DirectLine to_walk = LineAt(line, first, end, has_x);
    if constexpr (kRows > 1) {
      SpoilAlongH(to_walk, has_x);
    } else {
      if (has_x && IsPixel(StepAt(to_walk, 0).in_h, args_->x.size[1])) return;
      for (int i = first; i < end; ++i) {
        const DirectStep step = StepAt(to_walk, i);
        SpoilRow(to_walk, step.out_h, step.out_w, 1);
      }
    }
  }

  /// For a line along h: spoils with all rows of dy that steps have if there is no plane of x, else
  /// with those whose taps lead out of it.
  GRIDWISE_DEVICE void SpoilAlongH(const DirectLine& line, bool has_x) {
    const int out_w = StepAt(line, 0).out_w;
    const int begin = line.first - (kRows - 1);
    if (!has_x) {
      for (int h = begin < 0 ? 0 : begin; h < line.end && h < args_->dy.size[1]; ++h) {
        SpoilRow(line, h, out_w, (1u << kRows) - 1);
      }
      return;
    }
    // A bit mask: the rows of sums of these steps to which dy's row brings products of padding.
    const auto padded = [&](int h) {
      unsigned rows = 0;
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        const int in_h = StepAt(line, h).in_h + r * args_->dilation[1];
        const bool is_step = h + r >= line.first && h + r < line.end;
        rows |= (is_step && !IsPixel(in_h, args_->x.size[1]) ? 1u : 0u) << r;
      }
      return rows;
    };
    int h = begin < 0 ? 0 : begin,
        end = line.end < args_->dy.size[1] ? line.end : args_->dy.size[1];
    for (; h < end && padded(h) != 0; ++h) SpoilRow(line, h, out_w, padded(h));
    for (; end > h && padded(end - 1) != 0; --end) SpoilRow(line, end - 1, out_w, padded(end - 1));
  }

  /// Spoils the rows of sums that are set in `rows`, from a run of pixels of dy.
  GRIDWISE_DEVICE void SpoilRow(const DirectLine& line, int out_h, int out_w, unsigned rows) {
    DirectVec<kC> loaded[kC.pixels] = {};
    LoadRow<true>(line.dy, dy_at_, args_->dy, {out_h, out_w, 1}, loaded);
    Factors<kC.pixels> dy;
    Convert(loaded, dy);
    const unsigned channels = NotFinite(dy);
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      if ((rows >> r & 1) != 0) spoiled_ |= channels << r * kC.channels;
    }
  }

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
  template <int kN>
  using Factors = float[kN][kC.channels];

  GRIDWISE_DEVICE static Buffer Plane(const DirectTensor& tensor, int image, int d) {
    return Buffer::From<kGfx>(static_cast<const char*>(tensor.data) + image * tensor.image +
                              d * tensor.pixel[0]);
  }

  GRIDWISE_DEVICE DirectStep StepAt(const DirectLine& line, int i) const {
    const int h = kRows > 1 ? i : line.other, w = kRows > 1 ? line.other : i * kC.pixels;
    return {.out_h = h,
            .out_w = w,
            .in_h = h * args_->stride[1] + taps_.h * args_->dilation[1] - args_->pad[1],
            .in_w = w * args_->stride[2] + taps_.w * args_->dilation[2] - args_->pad[2]};
  }

  /// Walks along w, in a row of dy and one of x.
  GRIDWISE_DEVICE void WalkAlongRow(const DirectLine& line) {
    if (!IsPixel(StepAt(line, 0).in_h, args_->x.size[1])) return;
    for (int i = line.first; i < line.end; ++i) {
      const DirectStep step = StepAt(line, i);
      if (IsInside(step)) {
        AddStep<false>(line, step);
      } else {
        AddStep<true>(line, step);
      }
    }
  }
  template <bool kMasked>
  GRIDWISE_DEVICE void AddStep(const DirectLine& line, const DirectStep& step) {
    Loaded loaded;
    LoadRows<kMasked>(line, step, loaded, true);
    Factors<kC.pixels> dy;
    Factors<kC.window()> x;
    Convert(loaded.dy, dy);
    Convert(loaded.x, x);
    AddProducts(dy, x, kMasked ? args_->dy.size[2] - step.out_w : kC.pixels, sums_[0]);
  }

  /// Walks along h. A row of x meets tap row `r` in the output row `r` before that of the step. The
  /// loads of a step are in flight while the products of the previous one are added.
  template <bool kMasked>
  GRIDWISE_DEVICE void WalkAlongH(const DirectLine& line) {
    Factors<kC.pixels> dy[kRows];  // of the step's row and the rows before
    Loaded loaded;
#pragma unroll
    for (int r = 1; r < kRows; ++r) {
      LoadRows<kMasked>(line, StepAt(line, line.first - r), loaded, /*of_x=*/false);
      Convert(loaded.dy, dy[kRows - r]);
    }
    LoadRows<kMasked>(line, StepAt(line, line.first), loaded, true);
    for (int i = line.first; i < line.end; i += kRows) {
#pragma unroll
      for (int u = 0; u < kRows; ++u) {
        if (u > 0 && i + u >= line.end) break;
        const DirectStep step = StepAt(line, i + u);
        Factors<kC.window()> x;
        Convert(loaded.dy, dy[u]);
        Convert(loaded.x, x);
        if (i + u + 1 < line.end) LoadRows<kMasked>(line, StepAt(line, i + u + 1), loaded, true);
        if (!IsPixel(step.in_h, args_->x.size[1])) continue;
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
          if (!IsPixel(step.out_h - r, args_->dy.size[1]) || taps_.h + r >= args_->filter[1])
            continue;
          AddProducts(dy[(u + kRows - r) % kRows], x,
                      kMasked ? args_->dy.size[2] - step.out_w : kC.pixels, sums_[r]);
        }
      }
    }
  }

  /// Whether all pixels of a step exist along w.
  GRIDWISE_DEVICE bool IsInside(const DirectStep& at) const {
    return at.out_w + kC.pixels <= args_->dy.size[2] && at.in_w >= 0 &&
           at.in_w + (kC.window() - 1) * stride_w() < args_->x.size[2];
  }
  GRIDWISE_DEVICE int stride_w() const { return kC.taps == 1 ? args_->stride[2] : 1; }

  /// Loads the pixels of a step that exist, in rows that exist.
  template <bool kMasked>
  GRIDWISE_DEVICE void LoadRows(const DirectLine& line, const DirectStep& at, Loaded& to,
                                bool of_x) const {
    if (kRows == 1 || IsPixel(at.out_h, args_->dy.size[1])) {
      LoadRow<kMasked>(line.dy, dy_at_, args_->dy, {at.out_h, at.out_w, 1}, to.dy);
    }
    if (kRows == 1 || (of_x && IsPixel(at.in_h, args_->x.size[1]))) {
      LoadRow<kMasked>(line.x, x_at_, args_->x, {at.in_h, at.in_w, stride_w()}, to.x);
    }
  }
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

  template <int kN>
  GRIDWISE_DEVICE static void Convert(const DirectVec<kC> (&from)[kN], Factors<kN>& to) {
#pragma unroll
    for (int i = 0; i < kN; ++i) {
#pragma unroll
      for (int e = 0; e < kC.channels; ++e) to[i][e] = ToFactor<kC, kC.channels>(from[i], e);
    }
  }

  /// Adds the products of `pixels` output pixels, or of all: a dy that is 0 because it does not
  /// exist would make NaN of an infinite x.
  GRIDWISE_DEVICE static void AddProducts(const Factors<kC.pixels>& dy,
                                          const Factors<kC.window()>& x, int pixels,
                                          Factors<kC.taps>& sums) {
    if (pixels >= kC.pixels) {
#pragma unroll
      for (int i = 0; i < kC.pixels; ++i) AddPixel(dy[i], x, i, sums);
    } else {
#pragma unroll
      for (int i = 0; i < kC.pixels - 1; ++i) {
        if (i < pixels) AddPixel(dy[i], x, i, sums);
      }
    }
  }
  GRIDWISE_DEVICE static void AddPixel(const float (&dy)[kC.channels],
                                       const Factors<kC.window()>& x, int i,
                                       Factors<kC.taps>& sums) {
#pragma unroll
    for (int t = 0; t < kC.taps; ++t) {
#pragma unroll
      for (int e = 0; e < kC.channels; ++e) {
        sums[t][e] = MultiplyAdd(x[kC.WindowPixel(i, t)][e], dy[e], sums[t][e]);
      }
    }
  }

  const DirectWeightArgs* args_;  // reread in each line: scalar registers have no room for all
  const DirectTaps taps_;
  const int image_;           // of args_->lane_images
  int dy_offset_, x_offset_;  // of the lane's first pair and its image
  unsigned dy_at_, x_at_;     // the same for a line, if the image exists
  unsigned spoiled_ = 0;      // bit row * channels + channel: its sums are NaN
  Factors<kC.taps> sums_[kRows];
};

}  // namespace gridwise::direct
