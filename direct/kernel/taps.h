// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/memory.h"
#include "core/base/math.h"
#include "core/conv/gemm_map.h"
#include "core/launch/find_sub_gemm.h"
#include "direct/kernel/lane.h"

namespace gridwise::direct {

/// The output pixels of a lane in one image: up to DirectConfig::pixels along w, in as many rows as
/// a lane works on.
struct DirectRun {
  SubGemm gemm;
  int image;  // of the first lane
  int j[3];   // of the first pixel, in its phase
};

template <DirectConfig kC>
GRIDWISE_DEVICE DirectRun RunAt(const DirectGatherArgs& args, const SubGemm& gemm, int run) {
  const int by_w = Divide(run, gemm.by_count_w);
  const int by_h = Divide(by_w, gemm.by_count_h);
  const int by_d = Divide(by_h, gemm.by_count_d);
  const int runs_h = CeilDiv<int>(gemm.axis[1].count, kC.rows_of_lane());
  const int runs_w = CeilDiv<int>(gemm.axis[2].count, kC.pixels);
  return {.gemm = gemm,
          .image = by_d * args.lane_images,
          .j = {by_h - by_d * gemm.axis[0].count, (by_w - by_h * runs_h) * kC.rows_of_lane(),
                (run - by_w * runs_w) * kC.pixels}};
}

/// Taps that are added up at a time, for one channel of the source.
struct TapBlock {
  int d, h, w;           // the first
  int count_d, count_h;  // along d and h
  int groups_w;          // of DirectConfig::taps along w
  int channel;           // in the group

  /// Rows of taps, in the order w, d, h.
  GRIDWISE_DEVICE int rows() const { return groups_w * count_d * count_h; }
  /// The first of the rows along h.
  GRIDWISE_DEVICE int FirstRow(int group_w, int of_d) const {
    return (group_w * count_d + of_d) * count_h;
  }
};

/// An item of a launch's lanes: an output channel of one image.
struct LaneItem {
  int image, channel;
  bool exists;
};
GRIDWISE_DEVICE LaneItem ItemOf(const DirectGatherArgs& args, int item) {
  const int image = Divide(item, args.by_out_channels);
  return {.image = image,
          .channel = item - image * args.out_channels,
          .exists = image < args.lane_images};
}

/// Bytes from the first element of w to a channel of the output.
template <DirectConfig kC>
GRIDWISE_DEVICE int OffsetOfChannel(const DirectGatherArgs& args, int channel) {
  if constexpr (kC.channels > 1) return channel * args.w.group;  // depthwise
  const int group = Divide(channel, args.by_out_of_group);
  return group * args.w.group + (channel - group * args.out_of_group) * args.w_out;
}

/// Bytes from there to a row of taps, and from the row to one of its taps.
GRIDWISE_DEVICE int OffsetOfRow(const DirectGatherArgs& args, const SubGemm& gemm, int tap_d,
                                int tap_h) {
  const int d = Tap(gemm.axis[0], args.strides[0], tap_d),
            h = Tap(gemm.axis[1], args.strides[1], tap_h);
  return (d * args.filter[1] + h) * args.filter[2] * args.w.tap;
}
GRIDWISE_DEVICE int OffsetInRow(const DirectGatherArgs& args, const SubGemm& gemm, int tap_w) {
  return Tap(gemm.axis[2], args.strides[2], tap_w) * args.w.tap;
}

/// The factors of a lane's channels in a row of taps.
template <DirectConfig kC>
using RowFactors = DirectSum<kC>[kC.taps][kC.channels];

}  // namespace gridwise::direct
