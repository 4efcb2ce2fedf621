// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/depthwise/tile.h"

namespace gridwise::hopper {

/// Where sums are in tensors of dw's shape, see Finisher: rows are channels, columns taps.
template <DepthwiseWeightConfig kC>
struct DepthwiseOutputMap {
  const DepthwiseWeightArgs& args;
  const DepthwiseWork& work;

  struct Row {
    bool is_there;
    int channel;
  };
  GRIDWISE_DEVICE Row FindRow(int row) const {
    return {.is_there = work.channel + row < args.channels, .channel = work.channel + row};
  }
  GRIDWISE_DEVICE long Bytes(const OutputStrides& strides, const Row& row) const {
    return row.channel * strides.group;
  }
  GRIDWISE_DEVICE int Count(int column) const { return args.taps_h * args.taps_w - column; }
  GRIDWISE_DEVICE long Column(const OutputStrides& strides, int column) const {
    const int r = column / args.taps_w;
    return static_cast<long>(r) * strides.axis[1] +
           static_cast<long>(column - r * args.taps_w) * strides.axis[2];
  }
  GRIDWISE_DEVICE bool Has(const Row&, int) const { return true; }
  /// The same sum without products of dy that does not exist, which is 0 and makes NaN of an
  /// infinite x. Odd rows of taps multiply rows of dy from one earlier on.
  GRIDWISE_DEVICE float Mend(float, const Row& row, int column) const {
    using T = Element<kC.type>;
    const int r = column / args.taps_w, s = column - r * args.taps_w;
    float sum = 0;
#pragma clang loop unroll(disable)
    for (int i = work.first; i < work.end; ++i) {
      const DepthwiseUnit unit(args, i);
      const DepthwiseImage dy(args.dy, unit.image, row.channel), x(args.x, unit.image, row.channel);
#pragma clang loop unroll(disable)
      for (int at = 0; at < kC.kRows * kC.kColumns; ++at) {
        const int h = unit.h + at / kC.kColumns - r % 2, w = unit.w + at % kC.kColumns;
        if (!dy.Has(h, w)) continue;
        const int x_h = h + r - args.pad_h, x_w = w + s - args.pad_w;
        const float factor =
            x.Has(x_h, x_w) ? static_cast<float>(*reinterpret_cast<const T*>(x.At(x_h, x_w))) : 0;
        sum += static_cast<float>(*reinterpret_cast<const T*>(dy.At(h, w))) * factor;
      }
    }
    return sum;
  }
};

}  // namespace gridwise::hopper
