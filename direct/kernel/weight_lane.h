// SPDX-License-Identifier: MIT
#pragma once

#include "direct/kernel/weight_padding.h"
#include "direct/kernel/weight_source.h"

namespace gridwise::direct {

/// One lane of a direct backward-weight kernel: the sums of its pairs (k, c), over some output
/// pixels.
template <DirectConfig kC, Gfx kGfx>
class DirectWeightLane {
  static constexpr int kRows = kC.rows_of_lane();
  using Source = DirectWeightSource<kC, kGfx>;
  template <int kPixels>
  using Factors = DirectFactors<kC>[kPixels];

 public:
  GRIDWISE_DEVICE DirectWeightLane(const DirectWeightArgs& args, const DirectTaps& taps, int item)
      : source_(args, taps, item) {
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
    return padding_.Applied(sums_[row][tap][channel], row, channel);
  }

 private:
  /// Walks line after line of `count` steps from `first` on: finds sums that padding spoils, or
  /// adds products.
  template <bool kSpoils>
  GRIDWISE_DEVICE void VisitLines(int first, int count) {
    const int all = args().lines * args().steps;
    for (int end = first + count < all ? first + count : all; first < end;) {
      const int line = Divide(first, args().by_steps), begin = line * args().steps;
      const int line_end = begin + args().steps < end ? begin + args().steps : end;
      const DirectLine to_walk = source_.LineAt(line, first - begin, line_end - begin);
      if constexpr (kSpoils) {
        padding_.SpoilLine(source_, to_walk);
      } else {
        AddLine(to_walk);
      }
      first = line_end;
    }
  }

  GRIDWISE_DEVICE void AddLine(const DirectLine& line) {
    if (!line.has_x) return;
    if constexpr (kRows > 1) {
      if (source_.IsInside(source_.StepAt(line, line.first))) {
        WalkAlongH<false>(line);
      } else {
        WalkAlongH<true>(line);
      }
    } else {
      WalkAlongRow(line);
    }
  }

  /// Walks along w, in a row of dy and one of x.
  GRIDWISE_DEVICE void WalkAlongRow(const DirectLine& line) {
    if (!IsPixel(source_.StepAt(line, 0).in_h, args().x.size[1])) return;
    for (int i = line.first; i < line.end; ++i) {
      const DirectStep step = source_.StepAt(line, i);
      if (source_.IsInside(step)) {
        AddStep<false>(line, step);
      } else {
        AddStep<true>(line, step);
      }
    }
  }
  template <bool kMasked>
  GRIDWISE_DEVICE void AddStep(const DirectLine& line, const DirectStep& step) {
    typename Source::Loaded loaded;
    source_.template LoadRows<kMasked>(line, step, loaded, true);
    Factors<kC.pixels> dy;
    Factors<kC.window()> x;
    Convert<kC>(loaded.dy, dy);
    Convert<kC>(loaded.x, x);
    AddProducts(dy, x, kMasked ? args().dy.size[2] - step.out_w : kC.pixels, sums_[0]);
  }

  /// Walks along h. A row of x meets tap row `r` in the output row `r` before that of the step. The
  /// loads of a step are in flight while the products of the previous one are added.
  template <bool kMasked>
  GRIDWISE_DEVICE void WalkAlongH(const DirectLine& line) {
    Factors<kC.pixels> dy[kRows];  // of the step's row and the rows before
    typename Source::Loaded loaded;
#pragma unroll
    for (int r = 1; r < kRows; ++r) {
      source_.template LoadRows<kMasked>(line, source_.StepAt(line, line.first - r), loaded,
                                         /*of_x=*/false);
      Convert<kC>(loaded.dy, dy[kRows - r]);
    }
    source_.template LoadRows<kMasked>(line, source_.StepAt(line, line.first), loaded, true);
    for (int i = line.first; i < line.end; i += kRows) {
#pragma unroll
      for (int u = 0; u < kRows; ++u) {
        if (u > 0 && i + u >= line.end) break;
        const DirectStep step = source_.StepAt(line, i + u);
        Factors<kC.window()> x;
        Convert<kC>(loaded.dy, dy[u]);
        Convert<kC>(loaded.x, x);
        if (i + u + 1 < line.end)
          source_.template LoadRows<kMasked>(line, source_.StepAt(line, i + u + 1), loaded, true);
        if (!IsPixel(step.in_h, args().x.size[1])) continue;
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
          if (!IsPixel(step.out_h - r, args().dy.size[1]) ||
              source_.taps().h + r >= args().filter[1])
            continue;
          AddProducts(dy[(u + kRows - r) % kRows], x,
                      kMasked ? args().dy.size[2] - step.out_w : kC.pixels, sums_[r]);
        }
      }
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

  GRIDWISE_DEVICE const DirectWeightArgs& args() const { return source_.args(); }

  Source source_;
  DirectWeightPadding<kC, kGfx> padding_;
  Factors<kC.taps> sums_[kRows];
};

}  // namespace gridwise::direct
