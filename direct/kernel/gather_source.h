// SPDX-License-Identifier: MIT
#pragma once

#include "core/launch/find_sub_gemm.h"
#include "direct/kernel/lane.h"
#include "direct/kernel/taps.h"

namespace gridwise::direct {

/// The source pixels of a lane of a direct gather kernel: a window along w, which its output pixels
/// meet in a row of taps.
template <DirectConfig kC, Gfx kGfx>
class DirectGatherSource {
 public:
  GRIDWISE_DEVICE DirectGatherSource(const DirectGatherArgs& args, const DirectRun& run,
                                     const LaneItem& item)
      : args_(args),
        run_(run),
        source_(Buffer::From<kGfx>(static_cast<const char*>(args.source.data) +
                                   run.image * args.source.image)),
        exists_(item.exists && run.image + item.image < args.images) {
    const int group = Divide(item.channel, args.by_out_of_group);
    offset_ = item.image * static_cast<int>(args.source.image) + group * args.source.group;
  }

  /// Computes the offsets along w of the source pixels that the output pixels meet in taps from
  /// `first` on.
  GRIDWISE_DEVICE void SetWindow(int first) {
    const AxisPhase& w = run_.gemm.axis[2];
    first_w_ = first;
    const int begin = SourcePixel(w, args_.strides[2], run_.j[2], first);
    const int stride = kC.taps == 1 ? args_.strides[2].source_stride : 1;
#pragma unroll
    for (int i = 0; i < kC.window(); ++i) {
      const int pixel = begin + i * stride;
      window_[i] = OffsetIf(exists_ && IsPixel(pixel, args_.source.size[2]),
                            offset_ + pixel * args_.source.pixel[2]);
    }
  }

  /// The first tap along w of the window.
  GRIDWISE_DEVICE int first_w() const { return first_w_; }
  /// Whether the lane's image and channel exist.
  GRIDWISE_DEVICE bool exists() const { return exists_; }

  /// Loads the window of the row at `row`, in bytes. Where hardware checks no ranges, pixels
  /// outside of the source have been set to 0 already.
  GRIDWISE_DEVICE void LoadRow(int row, DirectVec<kC> (&x)[kC.window()]) const {
#pragma unroll
    for (int i = 0; i < kC.window(); ++i) source_.LoadAgain(x[i], window_[i], row);
  }

 private:
  const DirectGatherArgs& args_;
  const DirectRun& run_;
  const Buffer source_;
  const bool exists_;
  int offset_;  // of the lane's first channel
  int first_w_;
  unsigned window_[kC.window()];  // offsets along w
};

}  // namespace gridwise::direct
