// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <type_traits>

#include "core/arch/memory.h"
#include "core/arch/sync.h"
#include "core/conv/gemm_map.h"
#include "direct/kernel/lane.h"

namespace gridwise::direct {

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

/// The weights of a workgroup's channels in a TapBlock, each once in LDS. The taps of a depthwise
/// channel are adjacent in memory, so in a wave whose lanes are channels, each lane would load a
/// line of its own. While loading, lanes therefore lie along taps first.
template <DirectConfig kC, Gfx kGfx>
class WeightsInLds {
  using Weight = Vec<Element<kC.type>, 1>;
  static constexpr int kLanes = TraitsOf(kGfx).wave_size, kThreads = kDirectGatherWaves * kLanes;
  static constexpr int kSlots = kLanes * kC.channels;  // maximum number of channels of the
                                                       // workgroup
  static constexpr int kTaps = kC.tap_rows() * kC.taps;
  static constexpr bool kStoresFactors = kConvertsFirst<kGfx>;
  using Stored = std::conditional_t<kStoresFactors, DirectSum<kC>, Element<kC.type>>;
  // Per tap, padded by a bank so that taps written together lie in different banks.
  static constexpr int kLaneBytes = kC.channels * sizeof(Stored);
  static constexpr int kTapBytes = kSlots * sizeof(Stored) + (kLaneBytes > 4 ? kLaneBytes : 4);

 public:
  static constexpr int kBytes = kTaps * kTapBytes;

  GRIDWISE_DEVICE WeightsInLds(const DirectGatherArgs& args, const SubGemm& gemm, int first_item)
      : args_(args),
        gemm_(gemm),
        tensor_(Buffer::From<kGfx>(args.w.data)),
        first_(ItemOf(args, first_item).channel) {
    const int item = first_item + LaneOfWave<kGfx>() * kC.channels;
    of_lane_ = Wrap(ItemOf(args, item).channel - first_ + args.out_channels, args.out_channels);
  }

  /// Loads a block's weights once all waves have read the previous ones; zeros past the last taps.
  GRIDWISE_DEVICE void Load(const TapBlock& block, char* lds) const {
    LoadBy<std::bit_width(kC.taps - 1u)>(block, lds);
  }

  /// Reads the lane's factors of a row of the block.
  GRIDWISE_DEVICE void Read(const char* lds, int row, RowFactors<kC>& factors) const {
#pragma unroll
    for (int t = 0; t < kC.taps; ++t) {
      const auto weights = *reinterpret_cast<const Vec<Stored, kC.channels>*>(
          lds + Offset(row * kC.taps + t, of_lane_));
#pragma unroll
      for (int e = 0; e < kC.channels; ++e) factors[t][e] = FactorOf(weights, e);
    }
  }

 private:
  /// The same if 2^kLog2Taps threads per channel are enough.
  template <int kLog2Taps>
  GRIDWISE_DEVICE void LoadBy(const TapBlock& block, char* lds) const {
    const int taps = block.rows() * kC.taps;
    if constexpr ((1 << kLog2Taps) < kTaps) {
      if (taps > (1 << kLog2Taps)) return LoadBy<kLog2Taps + 1>(block, lds);
    }
    constexpr int kStep = kThreads >> kLog2Taps;  // channels at a time
    const int tap = ThreadId() % (1 << kLog2Taps), first = ThreadId() >> kLog2Taps;
    // Otherwise the compiler multiplies again for each slot.
    const unsigned of_first = Opaque((first_ + first) * args_.w.group);
    const unsigned to_tap = tap < taps ? OffsetOfTap(block, tap) : Buffer::kOutOfRange;
    constexpr int kAll = kSlots / kStep, kBatch = kAll < 32 ? kAll : 32;  // in registers
    for (int batch = 0; batch < kAll; batch += kBatch) {
      Weight weights[kBatch];
#if defined(__NVPTX__)
#pragma unroll  // otherwise they would be in memory
#endif
      for (int i = 0; i < kBatch; ++i) {
        const int step = (batch + i) * kStep;
        const unsigned of_slot = OffsetOfSlot(first + step, of_first + step * args_.w.group);
        weights[i] = tensor_.Load<Weight>(of_slot + to_tap, 0);
      }
      if (batch == 0) BarrierLds();
      if (tap < taps) {
#pragma unroll
        for (int i = 0; i < kBatch; ++i) {
          *reinterpret_cast<Stored*>(lds + Offset(tap, first + (batch + i) * kStep)) =
              ToStored(weights[i]);
        }
      }
    }
    BarrierLds();
  }

  GRIDWISE_DEVICE static Stored ToStored(Weight weight) {
    if constexpr (kStoresFactors) return ToFactor<kC, 1>(weight, 0);
    return weight[0];
  }
  GRIDWISE_DEVICE static DirectSum<kC> FactorOf(const Vec<Stored, kC.channels>& weights, int e) {
    if constexpr (kStoresFactors) {
      return weights[e];
    } else {
      return ToFactor<kC, kC.channels>(weights, e);
    }
  }

  /// Bytes from the first weight to the channel of a slot; slots that are not used have any. For
  /// depthwise channels these are `of_depthwise`, except for the ring.
  GRIDWISE_DEVICE unsigned OffsetOfSlot(int slot, unsigned of_depthwise) const {
    const unsigned channels = args_.out_channels;
    if constexpr (kC.channels > 1) {
      return Least(Wrap(of_depthwise, channels * args_.w.group), (channels - 1) * args_.w.group);
    } else {
      return OffsetOfChannel<kC>(args_, Least(Wrap(first_ + slot, channels), channels - 1));
    }
  }

  GRIDWISE_DEVICE static unsigned Least(unsigned a, unsigned b) { return a < b ? a : b; }
  GRIDWISE_DEVICE static int Offset(int tap, int slot) {
    return tap * kTapBytes + slot * static_cast<int>(sizeof(Stored));
  }
  /// Wraps `i`, below twice `size`, into a ring.
  GRIDWISE_DEVICE static unsigned Wrap(unsigned i, unsigned size) {
    return i - size < i ? i - size : i;
  }

  /// Bytes from a channel's first weight to a tap of the block, or kOutOfRange.
  GRIDWISE_DEVICE unsigned OffsetOfTap(const TapBlock& block, int tap) const {
    const auto& [d, h, w] = gemm_.axis;
    int row = tap / kC.taps, of_d = 0, group_w = 0;
    if (block.groups_w * block.count_d > 1) {  // most blocks are rows along h
      const int by_h = static_cast<unsigned>(row) / static_cast<unsigned>(block.count_h);
      group_w = static_cast<unsigned>(by_h) / static_cast<unsigned>(block.count_d);
      of_d = by_h - group_w * block.count_d;
      row -= by_h * block.count_h;
    }
    const int tap_w = block.w + group_w * kC.taps + tap % kC.taps;
    return OffsetIf(tap_w < w.taps, OffsetOfRow(args_, gemm_, block.d + of_d, block.h + row) +
                                        OffsetInRow(args_, gemm_, tap_w) +
                                        block.channel * args_.w_source);
  }

  const DirectGatherArgs& args_;
  const SubGemm& gemm_;
  const Buffer tensor_;
  const int first_;  // the channel in the first slot
  int of_lane_;      // the lane's first slot
};

template <DirectConfig kC, Gfx kGfx>
using DirectWeightsOf =
    std::conditional_t<kC.has_resident_weights(), WeightsInLds<kC, kGfx>, WeightsOfLane<kC, kGfx>>;

}  // namespace gridwise::direct
