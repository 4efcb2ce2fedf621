// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"
#include "core/launch/block_map.h"
#include "core/passes/overlap_add_args.h"
#include "core/passes/padding.h"
#include "core/passes/reduce.h"

namespace gridwise {

/// The terms of a lane's output pixel along one axis. Integer multiplications take as long as four
/// other instructions; axes without columns, or of one pixel, need fewer of them.
struct TermsOfAxis {
  int first_tap = 0, first_pixel = 0;
  int at = 0;  // elements from an image's first to the first term

  /// Divides `rest`, the pixel's index over this axis and the outer ones, and keeps the outer part
  /// in it.
  GRIDWISE_DEVICE TermsOfAxis(const OverlapAxis& axis, int& rest) {
    if (axis.out == 1 && axis.taps == 1) return;
    const int outer = static_cast<int>(Divide(rest, axis.by_out));
    const int shifted = rest - outer * axis.out + axis.shift;
    rest = outer;
    first_pixel = shifted;
    if (axis.stride != 1) {
      first_pixel = static_cast<int>(Divide(shifted, axis.by_stride));
      first_tap = shifted - first_pixel * axis.stride;
    }
    first_pixel += axis.first;
    at = first_pixel * axis.pixel_elements + first_tap * axis.tap_columns;
  }
  GRIDWISE_DEVICE bool HasTap(const OverlapAxis& axis, int u) const {
    return first_tap + u * axis.tap_stride < axis.taps;
  }
  GRIDWISE_DEVICE bool HasPixel(const OverlapAxis& axis, int u) const {
    return static_cast<unsigned>(first_pixel + u * axis.pixel_stride) <
           static_cast<unsigned>(axis.pixels);
  }
  /// Elements from an image's first to the term, or to its tap's product with the nearest pixel.
  GRIDWISE_DEVICE int At(const OverlapAxis& axis, int u) const {
    const int pixel = first_pixel + u * axis.pixel_stride;
    const int nearest = pixel < 0 ? 0 : pixel < axis.pixels ? pixel : axis.pixels - 1;
    return at + u * axis.term_elements + (nearest - pixel) * axis.pixel_elements;
  }
};

/// Elements from an image's first to the only term along an axis; negative if there is none.
GRIDWISE_DEVICE int OnlyTerm(const OverlapAxis& axis, const TermsOfAxis& terms) {
  for (int u = 0; u < axis.max_terms; ++u) {
    if (terms.HasTap(axis, u) && terms.HasPixel(axis, u)) return terms.At(axis, u);
  }
  return -1;
}

/// The sum of an output pixel's terms. If one of its taps meets padding, `padding` has 0 times
/// another product of the same weights: 0 times the weights is 0, unless that product is NaN.
struct OverlapSum {
  float terms = 0, padding = 0;
};

/// Some terms along w; the same in all lines along w.
struct TermsOfLine {
  bool has[kOverlapAddAtATime];
  int at[kOverlapAddAtATime];  // elements from the line's first; 0 if there is no tap

  GRIDWISE_DEVICE TermsOfLine(const OverlapAxis& w, const TermsOfAxis& terms, int first) {
#pragma unroll
    for (int i = 0; i < kOverlapAddAtATime; ++i) {
      const bool has_tap = terms.HasTap(w, first + i);
      has[i] = has_tap && terms.HasPixel(w, first + i);
      at[i] = has_tap ? terms.At(w, first + i) : 0;
    }
  }
  /// Adds the terms of the line from `line` on, which is a source line or padding. All are loaded,
  /// so that no load follows a branch and waits for the one before; columns have fewer than 2^30
  /// elements.
  GRIDWISE_DEVICE void Add(const float* columns, int line, bool is_source, OverlapSum& sum) const {
    float term[kOverlapAddAtATime];
#pragma unroll
    for (int i = 0; i < kOverlapAddAtATime; ++i) {
      const auto bytes = static_cast<unsigned>(line + at[i]) * unsigned{sizeof(float)};
      const char* const from = reinterpret_cast<const char*>(columns) + bytes;
      term[i] = *reinterpret_cast<const float*>(from);
    }
#pragma unroll
    for (int i = 0; i < kOverlapAddAtATime; ++i) {
      const bool is_term = is_source && has[i];
      sum.terms += is_term ? term[i] : 0;
      sum.padding = __builtin_fmaf(0.0f, is_term ? 0 : term[i], sum.padding);
    }
  }
};

/// out[n][i][c] = epilogue(sum over splits, taps t and source pixels j that meet at pixel i of
/// columns[n][j][(t, c)]), always in the same order. NaN if a tap meets padding, which has no
/// column, with a weight that is not finite. Each XCD has a run of the output, because adjacent
/// pixels read the same columns.
template <DataType kType>
GRIDWISE_DEVICE void OverlapAddTile(const OverlapAddArgs& args) {
  const int tile = SlotOf(args.runs, BlockIdX(), args.tiles);
  const int lane = tile * kOverlapAddThreads + ThreadId();
  if (lane >= args.lanes) return;
  int at = lane;
  if (args.images > 1) {
    const int group = static_cast<int>(Divide(lane, args.by_image_outputs));
    at += group * (args.images - 1) * args.image_outputs;
  }
  int rest = static_cast<int>(Divide(at, args.by_channels));
  const int channel = at - rest * args.channels;
  const auto& [d, h, w] = args.axis;
  const TermsOfAxis of_w(w, rest), of_h(h, rest), of_d(d, rest);
  const int image = rest * args.image_elements + channel * args.channel_columns;
  OverlapSum sum;
  for (int first = 0; first < w.max_terms; first += kOverlapAddAtATime) {
    const TermsOfLine terms(w, of_w, first);
    for (int split = 0; split < args.reduce.splits; ++split) {
      const float* const columns = args.reduce.partial + split * args.reduce.split_elements;
      for (int u = 0; u < d.max_terms; ++u) {
        for (int v = 0; v < h.max_terms; ++v) {
          if (!of_d.HasTap(d, u) || !of_h.HasTap(h, v)) continue;
          terms.Add(columns, image + of_d.At(d, u) + of_h.At(h, v),
                    of_d.HasPixel(d, u) && of_h.HasPixel(h, v), sum);
        }
      }
    }
  }
  bool is_nan = false;
  if (sum.padding != 0) [[unlikely]] {
    const int pixel = static_cast<int>(Divide(at, args.by_channels));
    is_nan = PaddingIsNaN(args.padding, pixel, channel);
  }
  struct {
    int d, h, w;
  } only = {};
  for (int i = 1;; ++i) {
    FinishRun<kType, 1>(args.reduce, at, {{is_nan ? __builtin_nanf("") : sum.terms}});
    at += args.image_outputs;
    if (i == args.images || at >= args.reduce.elements) return;
    if (i == 1) only = {OnlyTerm(d, of_d), OnlyTerm(h, of_h), OnlyTerm(w, of_w)};
    sum.terms = 0;
    if (only.d < 0 || only.h < 0 || only.w < 0) continue;
    const int term = image + i * args.image_elements + only.d + only.h + only.w;
    for (int split = 0; split < args.reduce.splits; ++split) {
      sum.terms += args.reduce.partial[split * args.reduce.split_elements + term];
    }
  }
}

}  // namespace gridwise
