#pragma once

#include <bit>
#include <type_traits>

#include "core/arch/memory.h"
#include "core/arch/sync.h"
#include "core/conv/gemm_map.h"
#include "direct/kernel/lane.h"

namespace gridwise::direct {

/// Some taps along h and w, of a tap along d, with one channel of the source: all along h, or as
/// many as LDS has the weights of.
struct TapBlock {
  int d, first_h, first_w;  // taps of the sub-GEMM
  int channel;              // of the group
};

/// Bytes of w from its first element to a channel of the output.
template <DirectConfig kC>
GRIDWISE_DEVICE int OffsetOfChannel(const DirectGatherArgs& args, int channel) {
  if constexpr (kC.channels > 1) return channel * args.w.group;  // depthwise
  const int group = Divide(channel, args.by_out_channels);
  return group * args.w.group + (channel - group * args.out_of_group) * args.w_out;
}

/// Bytes from there to a row of taps, and from that to a tap of it.
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

/// The weights of a lane's channels, of a TapBlock, which the lane loads where they are used.
template <DirectConfig kC, Gfx kGfx>
class WeightsOfLane {
  using Weight = Vec<Element<kC.type>, 1>;

 public:
  static constexpr int kBytes = 16;  // of LDS, which they do not need

  GRIDWISE_DEVICE WeightsOfLane(const DirectGatherArgs& args, const SubGemm& gemm,
                                int first_channel)
      : args_(args), gemm_(gemm), tensor_(Buffer::From<kGfx>(args.w.data)) {
    const int channel = first_channel + LaneOfWave<kGfx>() * kC.channels;
    exists_ = channel < args.out_channels;
    of_channel_ = OffsetOfChannel<kC>(args, channel);
  }

  GRIDWISE_DEVICE void Load(const TapBlock& block, char*) {
    const AxisClass& w = gemm_.axis[2];
    to_block_ = OffsetOfRow(args_, gemm_, block.d, block.first_h) + block.channel * args_.w_source;
    for (int t = 0; t < kC.taps; ++t) {
      const int tap = block.first_w + t;
      offset_[t] = OffsetIf(exists_ && tap < w.taps, of_channel_ + OffsetInRow(args_, gemm_, tap));
    }
  }
  /// Loads those of a row of the block.
  GRIDWISE_DEVICE void Read(const char*, int h, RowFactors<kC>& factors) const {
    const int to_row = to_block_ + h * args_.strides[1].tap_stride * args_.filter[2] * args_.w.tap;
    for (int t = 0; t < kC.taps; ++t) {
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

/// The weights of a workgroup's channels in LDS, of a TapBlock. The taps of a depthwise channel are
/// neighbours in memory, so that a wave whose lanes are channels would ask for a line of its own in
/// each: where they load, lanes lie along taps first.
template <DirectConfig kC, Gfx kGfx>
class WeightsInLds {
  using Weight = Vec<Element<kC.type>, 1>;
  static constexpr int kLanes = TraitsOf(kGfx).wave_size, kThreads = kDirectGatherWaves * kLanes;
  static constexpr int kChannels = kLanes * kC.channels;  // of the workgroup
  static constexpr int kTaps = kC.tap_rows() * kC.taps;
  // Threads for the taps of a channel, and channels at a time.
  static constexpr int kTapThreads = std::bit_ceil(static_cast<unsigned>(kTaps));
  static constexpr int kAtOnce = kThreads / kTapThreads, kCount = kChannels / kAtOnce;
  // Of a tap, with room for a bank, so that taps that are written together lie in different ones.
  static constexpr int kTapBytes = kChannels * SizeOf(kC.type) + 4;

 public:
  static constexpr int kBytes = kTaps * kTapBytes;

  GRIDWISE_DEVICE WeightsInLds(const DirectGatherArgs& args, const SubGemm& gemm, int first_channel)
      : args_(args),
        gemm_(gemm),
        tensor_(Buffer::From<kGfx>(args.w.data)),
        channel_(first_channel + ThreadId() / kTapThreads) {}

  /// Loads a block's once all waves have read those before; there are zeros past the last taps.
  GRIDWISE_DEVICE void Load(const TapBlock& block, char* lds) const {
    const AxisClass &h = gemm_.axis[1], &w = gemm_.axis[2];
    const int tap = ThreadId() % kTapThreads, tap_h = block.first_h + tap / kC.taps,
              tap_w = block.first_w + tap % kC.taps;
    const bool exists = tap < kTaps && tap_h < h.taps && tap_w < w.taps;
    const int to_tap = OffsetOfRow(args_, gemm_, block.d, tap_h) +
                       OffsetInRow(args_, gemm_, tap_w) + block.channel * args_.w_source;
    Weight weights[kCount];
    for (int i = 0; i < kCount; ++i) {
      const int channel = channel_ + i * kAtOnce;
      weights[i] = tensor_.Load<Weight>(OffsetIf(exists && channel < args_.out_channels,
                                                 OffsetOfChannel<kC>(args_, channel) + to_tap),
                                        0);
    }
    BarrierLds();
    if (tap < kTaps) {
      for (int i = 0; i < kCount; ++i) {
        *reinterpret_cast<Weight*>(lds + Place(tap, ThreadId() / kTapThreads + i * kAtOnce)) =
            weights[i];
      }
    }
    BarrierLds();
  }

  /// Reads the lane's, of a row of the block.
  GRIDWISE_DEVICE void Read(const char* lds, int h, RowFactors<kC>& factors) const {
    for (int t = 0; t < kC.taps; ++t) {
      const auto weights = *reinterpret_cast<const DirectVec<kC>*>(
          lds + Place(h * kC.taps + t, LaneOfWave<kGfx>() * kC.channels));
      for (int e = 0; e < kC.channels; ++e) factors[t][e] = ToFactor<kC, kC.channels>(weights, e);
    }
  }

 private:
  GRIDWISE_DEVICE static int Place(int tap, int channel) {
    return tap * kTapBytes + channel * SizeOf(kC.type);
  }

  const DirectGatherArgs& args_;
  const SubGemm& gemm_;
  const Buffer tensor_;
  const int channel_;  // the first that the thread loads
};

template <DirectConfig kC, Gfx kGfx>
using DirectWeightsOf =
    std::conditional_t<kC.keeps_weights(), WeightsInLds<kC, kGfx>, WeightsOfLane<kC, kGfx>>;

}  // namespace gridwise::direct
