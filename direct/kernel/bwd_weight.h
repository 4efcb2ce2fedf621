#pragma once

#include "core/arch/kernel_args.h"
#include "core/arch/sync.h"
#include "core/arch/this_target.h"
#include "core/launch/output_type.h"
#include "direct/kernel/lane.h"

namespace gridwise::direct {

/// The filter taps of a workgroup: one along d and h, DirectConfig::taps along w.
struct DirectTaps {
  int d, h, w;
};

/// One lane of a direct backward-weight: the sums of its pairs (k, c), of some rows of output
/// cells.
template <DirectConfig kC, Gfx kGfx>
class DirectWeightLane {
 public:
  GRIDWISE_DEVICE DirectWeightLane(const DirectWeightArgs& args, const DirectTaps& taps, int pair)
      : args_(args), taps_(taps) {
    const int k = Divide(pair, args.by_c);  // of all groups
    const int group = Divide(k, args.by_k);
    const bool exists = pair < args.pairs;
    dy_offset_ = OffsetIf(exists, group * args.dy.group + (k - group * args.k) * SizeOf(kC.type));
    x_offset_ = OffsetIf(exists, group * args.x.group + (pair - k * args.c) * SizeOf(kC.type));
    for (auto& tap : sums_) {
      for (float& sum : tap) sum = 0;
    }
  }

  /// Adds a row of output cells, of an image along w.
  GRIDWISE_DEVICE void AddRow(int row) {
    const int by_h = Divide(row, args_.by_out_h);
    const int image = Divide(by_h, args_.by_out_d);
    const int out_d = by_h - image * args_.dy.size[0], out_h = row - by_h * args_.dy.size[1];
    const int in_d = out_d * args_.stride[0] + taps_.d * args_.dilation[0] - args_.pad[0];
    const int in_h = out_h * args_.stride[1] + taps_.h * args_.dilation[1] - args_.pad[1];
    if (!IsCell(in_d, args_.x.size[0]) || !IsCell(in_h, args_.x.size[1])) return;
    const Buffer dy = Row(args_.dy, image, out_d, out_h), x = Row(args_.x, image, in_d, in_h);
    const int stride = kC.taps == 1 ? args_.stride[2] : 1;
    const int first = taps_.w * args_.dilation[2] - args_.pad[2];
    for (int out = 0; out < args_.dy.size[2]; out += kC.cells) {
      const int in = first + out * args_.stride[2];
      if (out + kC.cells > args_.dy.size[2]) {
        AddCells<Cells::kSome>(dy, x, out, in, stride);
      } else if (in < 0 || in + (kC.window() - 1) * stride >= args_.x.size[2]) {
        AddCells<Cells::kAllOfDy>(dy, x, out, in, stride);
      } else {
        AddCells<Cells::kAll>(dy, x, out, in, stride);
      }
    }
  }

  GRIDWISE_DEVICE float Sum(int tap, int channel) const { return sums_[tap][channel]; }

 private:
  GRIDWISE_DEVICE static Buffer Row(const DirectTensor& tensor, int image, int d, int h) {
    return Buffer::From<kGfx>(static_cast<const char*>(tensor.data) + image * tensor.image +
                              (d * tensor.cell[0] + h * tensor.cell[1]));
  }

  enum class Cells { kAll, kAllOfDy, kSome };  // of a window that exist

  template <bool kMasked>
  GRIDWISE_DEVICE static DirectVec<kC> Load(const Buffer& row, unsigned lane,
                                            const DirectTensor& tensor, int cell) {
    const int offset = cell * tensor.cell[2];
    if constexpr (!kMasked) {
      return row.Load<DirectVec<kC>>(lane, offset);
    } else {
      // In the lane's offset, as a uniform one may not be negative.
      return row.Load<DirectVec<kC>>(
          OffsetIf(IsCell(cell, tensor.size[2]), static_cast<int>(lane) + offset), 0);
    }
  }

  template <Cells kCells>
  GRIDWISE_DEVICE void AddCells(const Buffer& dy_row, const Buffer& x_row, int out, int in,
                                int stride) {
    DirectVec<kC> dy[kC.cells], x[kC.window()];
    for (int i = 0; i < kC.cells; ++i) {
      dy[i] = Load<kCells == Cells::kSome>(dy_row, dy_offset_, args_.dy, out + i);
    }
    for (int i = 0; i < kC.window(); ++i) {
      x[i] = Load<kCells != Cells::kAll>(x_row, x_offset_, args_.x, in + i * stride);
    }
    for (int i = 0; i < kC.cells; ++i) {
      // A dy that is 0 because there is none would make NaN of an infinite x.
      if (kCells == Cells::kSome && out + i >= args_.dy.size[2]) continue;
      for (int t = 0; t < kC.taps; ++t) {
        for (int e = 0; e < kC.channels; ++e) {
          sums_[t][e] = __builtin_fmaf(static_cast<float>(x[kC.WindowCell(i, t)][e]),
                                       static_cast<float>(dy[i][e]), sums_[t][e]);
        }
      }
    }
  }

  const DirectWeightArgs& args_;
  const DirectTaps taps_;
  unsigned dy_offset_, x_offset_;  // of the lane's first pair
  float sums_[kC.taps][kC.channels];
};

/// Backward-weight of a convolution whose groups have few channels: a workgroup per taps of one row
/// of the filter (along x) and pairs (k, c) (along y), a lane each. Its waves share the rows of
/// output cells, and add their sums up in a fixed order. Every element of dw is written exactly
/// once.
template <DirectConfig kC, Gfx kGfx>
GRIDWISE_DEVICE void DirectWeightTile() {
  static_assert(kGfx == kThisTarget, "the row and the object are for different targets");
  static_assert(Reject(kC, kGfx) == nullptr, "the row does not suit the target");
  constexpr int kLanes = TraitsOf(kGfx).wave_size, kWaves = kDirectWeightWaves;
  constexpr int kSums = kC.taps * kC.channels;
  GRIDWISE_LDS float sums[kWaves][kSums][kLanes];
  const DirectWeightArgs& args = KernelArgs<DirectWeightArgs>();
  const int row = Divide(BlockIdX(), args.by_tap_groups);
  const int tap_d = Divide(row, args.by_filter_h);
  const DirectTaps taps = {.d = tap_d,
                           .h = row - tap_d * args.filter[1],
                           .w = (BlockIdX() - row * args.tap_groups) * kC.taps};
  const int first_pair = BlockIdY() * kLanes * kC.channels;
  const int wave = WaveOfGroup<kGfx>(), lane_id = LaneOfWave<kGfx>();

  DirectWeightLane<kC, kGfx> lane(args, taps, first_pair + lane_id * kC.channels);
  for (int r = BlockIdZ() * kWaves + wave; r < args.rows; r += kWaves * args.splits) lane.AddRow(r);
  for (int s = 0; s < kSums; ++s) {
    sums[wave][s][lane_id] = lane.Sum(s / kC.channels, s % kC.channels);
  }
  BarrierLds();

  const Buffer dw =
      Buffer::From<kGfx>(static_cast<const char*>(args.dw.data) + BlockIdZ() * args.split_bytes);
  for (int i = ThreadId(); i < kSums * kLanes; i += kWaves * kLanes) {
    const int slot = i / kLanes, of_lane = i % kLanes;
    float sum = 0;
    for (int w = 0; w < kWaves; ++w) sum += sums[w][slot][of_lane];
    const int pair = first_pair + of_lane * kC.channels + slot % kC.channels;
    const int tap_w = taps.w + slot / kC.channels;
    const int k = Divide(pair, args.by_c), group = Divide(k, args.by_k);
    const int tap = (taps.d * args.filter[1] + taps.h) * args.filter[2] + tap_w;
    const unsigned offset = OffsetIf(pair < args.pairs && tap_w < args.filter[2],
                                     group * args.dw.group + (k - group * args.k) * args.dw.k +
                                         tap * args.dw.tap + (pair - k * args.c) * args.dw.c);
    WithFloatOutput<kC.type>(
        args.out_type, [&]<DataType kOut>() { dw.Store(static_cast<Element<kOut>>(sum), offset); });
  }
}

}  // namespace gridwise::direct
