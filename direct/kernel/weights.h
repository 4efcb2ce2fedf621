// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "core/arch/memory.h"
#include "core/conv/gemm_map.h"
#include "direct/kernel/lane.h"
#include "direct/kernel/taps.h"
#include "direct/kernel/weights_in_lds.h"

namespace gridwise::direct {

/// The weights of a lane's channels in a TapBlock, which the lane loads where they are used.
template <DirectConfig kC, Gfx kGfx>
class WeightsOfLane {
  using Weight = Vec<Element<kC.type>, 1>;

 public:
  static constexpr int kBytes = 16;  // of LDS; these weights need none

  GRIDWISE_DEVICE WeightsOfLane(const DirectGatherArgs& args, const SubGemm& gemm, int first_item)
      : args_(args), gemm_(gemm), tensor_(Buffer::From<kGfx>(args.w.data)) {
    const LaneItem item = ItemOf(args, first_item + LaneOfWave<kGfx>() * kC.channels);
    exists_ = item.exists;
    of_channel_ = OffsetOfChannel<kC>(args, item.channel);
  }

  GRIDWISE_DEVICE void Load(const TapBlock& block, char*) {
    const AxisPhase& w = gemm_.axis[2];
    to_block_ = OffsetOfRow(args_, gemm_, block.d, block.h) + block.channel * args_.w_source;
#pragma unroll
    for (int t = 0; t < kC.taps; ++t) {
      const int tap = block.w + t;
      offset_[t] = OffsetIf(exists_ && tap < w.taps, of_channel_ + OffsetInRow(args_, gemm_, tap));
    }
  }
  /// Loads the factors of a row of the block, whose rows lie along h.
  GRIDWISE_DEVICE void Read(const char*, int h, RowFactors<kC>& factors) const {
    const int to_row = to_block_ + h * args_.strides[1].tap_stride * args_.filter[2] * args_.w.tap;
#pragma unroll
    for (int t = 0; t < kC.taps; ++t) {
#pragma unroll
      for (int e = 0; e < kC.channels; ++e) {
        const auto weight = tensor_.Load<Weight>(offset_[t] + e * args_.w.group, to_row);
        factors[t][e] = ToFactor<kC, 1>(weight, 0);
      }
    }
  }

 private:
  const DirectGatherArgs& args_;
  const SubGemm& gemm_;
  const Buffer tensor_;
  bool exists_;
  int of_channel_, to_block_;
  unsigned offset_[kC.taps];
};

template <DirectConfig kC, Gfx kGfx>
using DirectWeightsOf =
    std::conditional_t<kC.has_resident_weights(), WeightsInLds<kC, kGfx>, WeightsOfLane<kC, kGfx>>;

}  // namespace gridwise::direct
