// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <type_traits>

#include "core/arch/memory.h"
#include "core/arch/sync.h"
#include "core/conv/gemm_map.h"
#include "direct/kernel/lane.h"
#include "direct/kernel/taps.h"

namespace gridwise::direct {

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

}  // namespace gridwise::direct
