// SPDX-License-Identifier: MIT
#pragma once

#include "direct/kernel/weight_source.h"

namespace gridwise::direct {

/// The sums of a lane of a direct backward-weight kernel that are NaN, because they have products
/// of padding, which is 0, and a dy that is not finite. The walk that adds products skips padding.
template <DirectConfig kC, Gfx kGfx>
class DirectWeightPadding {
  static constexpr int kRows = kC.rows_of_lane();
  using Source = DirectWeightSource<kC, kGfx>;

 public:
  /// Finds the sums that steps of `line` spoil.
  GRIDWISE_DEVICE void SpoilLine(const Source& source, const DirectLine& line) {
    if constexpr (kRows > 1) {
      SpoilAlongH(source, line);
    } else {
      const int in_h = source.StepAt(line, 0).in_h;
      if (line.has_x && IsPixel(in_h, source.args().x.size[1])) return;
      for (int i = line.first; i < line.end; ++i) {
        const DirectStep step = source.StepAt(line, i);
        SpoilRow(source, line, step.out_h, step.out_w, 1);
      }
    }
  }

  /// `sum`, that of a row of taps and a channel, or NaN.
  GRIDWISE_DEVICE float Applied(float sum, int row, int channel) const {
    return SpoiledSum(sum, spoiled_, row * kC.channels + channel);
  }

 private:
  /// For a line along h: spoils with all rows of dy that steps have if there is no plane of x, else
  /// with those whose taps lead out of it.
  GRIDWISE_DEVICE void SpoilAlongH(const Source& source, const DirectLine& line) {
    const int out_w = source.StepAt(line, 0).out_w;
    const int begin = line.first - (kRows - 1);
    if (!line.has_x) {
      for (int h = begin < 0 ? 0 : begin; h < line.end && h < source.args().dy.size[1]; ++h) {
        SpoilRow(source, line, h, out_w, (1u << kRows) - 1);
      }
      return;
    }
    // A bit mask: the rows of sums of these steps to which dy's row brings products of padding.
    const auto padded = [&](int h) {
      unsigned rows = 0;
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        const int in_h = source.StepAt(line, h).in_h + r * source.args().dilation[1];
        const bool is_step = h + r >= line.first && h + r < line.end;
        rows |= (is_step && !IsPixel(in_h, source.args().x.size[1]) ? 1u : 0u) << r;
      }
      return rows;
    };
    int h = begin < 0 ? 0 : begin,
        end = line.end < source.args().dy.size[1] ? line.end : source.args().dy.size[1];
    for (; h < end && padded(h) != 0; ++h) SpoilRow(source, line, h, out_w, padded(h));
    for (; end > h && padded(end - 1) != 0; --end)
      SpoilRow(source, line, end - 1, out_w, padded(end - 1));
  }

  /// Spoils the rows of sums that are set in `rows`, from a run of pixels of dy.
  GRIDWISE_DEVICE void SpoilRow(const Source& source, const DirectLine& line, int out_h, int out_w,
                                unsigned rows) {
    DirectVec<kC> loaded[kC.pixels] = {};
    source.template LoadDy<true>(line, out_h, out_w, loaded);
    DirectFactors<kC> dy[kC.pixels];
    Convert<kC>(loaded, dy);
    const unsigned channels = NotFinite(dy);
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      if ((rows >> r & 1) != 0) spoiled_ |= channels << r * kC.channels;
    }
  }

  unsigned spoiled_ = 0;  // bit row * channels + channel
};

}  // namespace gridwise::direct
