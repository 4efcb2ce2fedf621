// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"
#include "core/arch/sync.h"
#include "core/passes/reduce.h"
#include "core/passes/sum_tap_rows_args.h"

namespace gridwise {

/// An element of dw.
struct WeightIndex {
  int k, tap[3], channel;

  GRIDWISE_DEVICE WeightIndex(const SumTapRowsArgs& args, int at) {
    int rest = static_cast<int>(Divide(at, args.by_channels));
    channel = at - rest * args.channels;
    for (int a = 2; a >= 0; --a) {
      const int outer = static_cast<int>(Divide(rest, args.axis[a].by_filter));
      tap[a] = rest - outer * args.axis[a].filter;
      rest = outer;
    }
    k = rest;
  }
  /// Elements from the first of dw' to the one that becomes this element.
  GRIDWISE_DEVICE int InRows(const SumTapRowsArgs& args) const { return InRows(args, tap[2]); }
  /// The same for another tap along w.
  GRIDWISE_DEVICE int InRows(const SumTapRowsArgs& args, int tap_w) const {
    const int row = (args.axis[2].filter - 1 - tap_w) * args.k + k;
    const int line = (row * args.axis[0].filter + tap[0]) * args.axis[1].filter + tap[1];
    return line * args.channels + channel;
  }
};

/// A lane's part of the terms of an element: pixels first, first + step, ... of dy times the pixels
/// of x, or of padding, that they meet. Stops as soon as the sum is NaN.
template <DataType kType>
GRIDWISE_DEVICE float SumOfTerms(const SumTapRowsArgs& args, const WeightIndex& weight, int first,
                                 int step) {
  float sum = 0;
  for (int i = first; i < args.pixels && sum == sum; i += step) {
    long dy = weight.k, x = weight.channel;
    int rest = i;
    bool meets = true;
    for (int a = 2; a >= 0; --a) {
      const TermAxis& axis = args.axis[a];
      const int outer = static_cast<int>(Divide(rest, axis.by_out));
      const int o = rest - outer * axis.out;
      const int pixel = o * axis.stride + weight.tap[a] * axis.dilation - axis.pad;
      rest = outer;
      meets &= pixel >= 0 && pixel < axis.in;
      dy += o * axis.dy_pixel;
      x += pixel * axis.x_pixel;
    }
    const auto at = [](const void* data, long element) {
      return static_cast<float>(static_cast<const Element<kType>*>(data)[element]);
    };
    sum +=
        at(args.dy, dy + rest * args.dy_image) * (meets ? at(args.x, x + rest * args.x_image) : 0);
  }
  return sum;
}

/// The same for operands of args.type.
GRIDWISE_DEVICE float SumOfTerms(const SumTapRowsArgs& args, const WeightIndex& weight, int first,
                                 int step) {
  switch (static_cast<DataType>(args.type)) {
    case DataType::kF16:
      return SumOfTerms<DataType::kF16>(args, weight, first, step);
    case DataType::kBF16:
      return SumOfTerms<DataType::kBF16>(args, weight, first, step);
    default:
      return SumOfTerms<DataType::kF32>(args, weight, first, step);
  }
}

/// A lane's part of 0 times the sums of all taps along w that lie next to one of the workgroup's
/// elements, for one channel. Each pixel of dy is in one of them, so the result is NaN if dy is not
/// finite.
GRIDWISE_DEVICE float ZeroOfRows(const SumTapRowsArgs& args, int first, int element, int slice) {
  float zero = 0;
  for (int e = 0; e < kTapRowsElements && first + e < args.reduce.elements;) {
    const WeightIndex weight(args, first + e);
    for (int tap = element; tap < args.axis[2].filter; tap += kTapRowsElements) {
      zero += 0 * SumSplits<1>(args.reduce, weight.InRows(args, tap), slice, kTapRowsSlices).of[0];
    }
    e += args.channels - weight.channel;  // to the next tap's first
  }
  return zero;
}

/// dw[k][..][t][c] = epilogue(sum over splits of dw'[(T - 1 - t, k)][..][c]), in that order. A sum
/// that is not finite may contain products of zeros that are not its terms, and a sum next to it
/// may lack dy times padding. All lanes recompute these sums.
template <DataType kType>
GRIDWISE_DEVICE void SumTapRowsTile(const SumTapRowsArgs& args) {
  GRIDWISE_LDS float of_lanes[kTapRowsThreads], zeros[kTapRowsThreads], sums[kTapRowsElements];
  const int element = ThreadId() % kTapRowsElements, slice = ThreadId() / kTapRowsElements;
  const int first = BlockIdX() * kTapRowsElements, at = first + element;
  const bool exists = at < args.reduce.elements;
  const WeightIndex weight(args, exists ? at : 0);
  of_lanes[ThreadId()] =
      SumSplits<1>(args.reduce, weight.InRows(args), slice, kTapRowsSlices).of[0];
  zeros[ThreadId()] = ZeroOfRows(args, first, element, slice);
  BarrierLds();
  if (slice == 0) {
    float sum = 0;
    float zero = 0;
    for (int s = 0; s < kTapRowsSlices; ++s) {
      sum += of_lanes[s * kTapRowsElements + element];
      zero += zeros[s * kTapRowsElements + element];
    }
    sums[element] = sum;
    zeros[element] = zero;
  }
  BarrierLds();
  float zero = 0;
  for (int e = 0; e < kTapRowsElements; ++e) zero += zeros[e];
  for (int e = 0; e < kTapRowsElements && first + e < args.reduce.elements; ++e) {
    if (zero == 0 && sums[e] - sums[e] == 0) [[likely]]
      continue;
    of_lanes[ThreadId()] =
        SumOfTerms(args, WeightIndex(args, first + e), ThreadId(), kTapRowsThreads);
    BarrierLds();
    float sum = 0;
    for (int i = 0; i < kTapRowsThreads; ++i) sum += of_lanes[i];
    BarrierLds();
    sums[e] = sum;  // the same in all lanes
  }
  if (slice == 0 && exists) FinishRun<kType, 1>(args.reduce, at, {{sums[element]}});
}

}  // namespace gridwise
