#pragma once

#include "core/arch/sync.h"
#include "core/arch/this_target.h"
#include "core/launch/find_sub_gemm.h"
#include "core/launch/output_type.h"
#include "direct/kernel/lane.h"

namespace gridwise::direct {

/// The output cells of a wave: up to DirectConfig::cells of one image, along w.
struct DirectRun {
  SubGemm gemm;
  int image;
  int j[3];  // of the first cell, in its class
};

template <DirectConfig kC>
GRIDWISE_DEVICE DirectRun RunAt(const SubGemm& gemm, int run) {
  const int by_w = Divide(run, gemm.by_count_w);
  const int by_h = Divide(by_w, gemm.by_count_h);
  const int by_d = Divide(by_h, gemm.by_count_d);
  const int runs_w = (gemm.axis[2].count + kC.cells - 1) / kC.cells;
  return {.gemm = gemm,
          .image = by_d,
          .j = {by_h - by_d * gemm.axis[0].count, by_w - by_h * gemm.axis[1].count,
                (run - by_w * runs_w) * kC.cells}};
}

/// One lane of a direct gather: its channels of the output, and what they are made of.
template <DirectConfig kC, Gfx kGfx>
class DirectGatherLane {
 public:
  GRIDWISE_DEVICE DirectGatherLane(const DirectGatherArgs& args, const DirectRun& run, int channel)
      : args_(args),
        run_(run),
        source_(Buffer::From<kGfx>(static_cast<const char*>(args.source.data) +
                                   run.image * args.source.image)),
        w_(Buffer::From<kGfx>(args.w.data)),
        exists_(channel < args.out_channels) {
    const int group = Divide(channel, args.by_out_channels);
    const int of_group = channel - group * args.out_of_group;
    source_offset_ = group * args.source.group;
    w_offset_ = group * args.w.group + of_group * args.w_out;
    out_offset_ = group * args.out.group + of_group * args.out_element;
    turn_ = BlockIdZ();
    for (auto& cell : sums_) {
      for (DirectSum<kC>& sum : cell) sum = 0;
    }
  }

  /// Adds the products of the taps first, first + 1, ... along w, of all taps along d and h.
  GRIDWISE_DEVICE void AddTaps(int first) {
    const auto& [d, h, w] = run_.gemm.axis;
    unsigned source[kC.window()], weight[kC.taps];
    const int begin = SourceCell(w, args_.strides[2], run_.j[2], first);
    const int stride = kC.taps == 1 ? args_.strides[2].source_stride : 1;
    for (int i = 0; i < kC.window(); ++i) {
      const int cell = begin + i * stride;
      source[i] = OffsetIf(exists_ && IsCell(cell, args_.source.size[2]),
                           source_offset_ + cell * args_.source.cell[2]);
    }
    for (int t = 0; t < kC.taps; ++t) {
      weight[t] = OffsetIf(exists_ && first + t < w.taps,
                           w_offset_ + Tap(w, args_.strides[2], first + t) * args_.w.tap);
    }
    const int taps = w.taps - first;
    for (int td = 0; td < d.taps; ++td) {
      const int at_d = SourceCell(d, args_.strides[0], run_.j[0], td);
      if (!IsCell(at_d, args_.source.size[0])) continue;
      for (int th = 0; th < h.taps; ++th) {
        // Splits take turns at the rows of taps.
        const bool is_mine = turn_ == 0;
        turn_ = (is_mine ? args_.splits : turn_) - 1;
        if (!is_mine) continue;
        const int at_h = SourceCell(h, args_.strides[1], run_.j[1], th);
        if (!IsCell(at_h, args_.source.size[1])) continue;
        const int tap =
            (Tap(d, args_.strides[0], td) * args_.filter[1] + Tap(h, args_.strides[1], th)) *
            args_.filter[2];
        AddRow(source, weight, taps, at_d * args_.source.cell[0] + at_h * args_.source.cell[1],
               tap * args_.w.tap);
      }
    }
  }

  /// Writes the output cells.
  GRIDWISE_DEVICE void Store() const {
    const auto& [d, h, w] = run_.gemm.axis;
    const Buffer out =
        Buffer::From<kGfx>(static_cast<const char*>(args_.out.data) + run_.image * args_.out.image +
                           BlockIdZ() * args_.split_bytes);
    const int row = OutputCell(d, args_.strides[0], run_.j[0]) * args_.out.cell[0] +
                    OutputCell(h, args_.strides[1], run_.j[1]) * args_.out.cell[1];
    for (int i = 0; i < kC.cells; ++i) {
      const int j = run_.j[2] + i;
      const unsigned offset =
          OffsetIf(exists_ && j < w.count,
                   out_offset_ + row + OutputCell(w, args_.strides[2], j) * args_.out.cell[2]);
      if constexpr (SumType(kC.type) == DataType::kI32) {
        if (args_.out_type == static_cast<int>(DataType::kI32)) {
          StoreAs<int>(out, i, offset);
          continue;
        }
      }
      WithFloatOutput<kC.type>(args_.out_type,
                               [&]<DataType kOut>() { StoreAs<Element<kOut>>(out, i, offset); });
    }
  }

 private:
  template <class T>
  GRIDWISE_DEVICE void StoreAs(const Buffer& out, int cell, unsigned offset) const {
    Vec<T, kC.channels> values;
    for (int e = 0; e < kC.channels; ++e) values[e] = static_cast<T>(sums_[cell][e]);
    out.Store(values, offset);
  }

  /// Adds up to `taps` taps of one row of the filter: `source` and `weight` are offsets along w,
  /// the others where the row begins.
  GRIDWISE_DEVICE void AddRow(const unsigned (&source)[kC.window()],
                              const unsigned (&weight)[kC.taps], int taps, int source_row,
                              int weight_row) {
    // A depthwise group has one channel of the source.
    const int channels = kC.channels > 1 ? 1 : args_.source_channels;
    for (int c = 0; c < channels; ++c) {
      DirectVec<kC> x[kC.window()];
      DirectSum<kC> w[kC.taps][kC.channels];
      for (int i = 0; i < kC.window(); ++i) {
        x[i] = source_.Load<DirectVec<kC>>(source[i], source_row + c * SizeOf(kC.type));
      }
      for (int t = 0; t < kC.taps; ++t) {
        for (int e = 0; e < kC.channels; ++e) {
          using Weight = Vec<Element<kC.type>, 1>;
          w[t][e] = ToFactor<kC, 1>(
              w_.Load<Weight>(weight[t] + e * args_.w.group, weight_row + c * args_.w_source), 0);
        }
      }
      // Of many loads the compiler would wait for some before it issues the others.
      SchedulingFence();
      for (int t = 0; t < kC.taps; ++t) {
        if (t > 0 && t >= taps) break;  // weights that are 0 would make NaN of infinite sources
        for (int i = 0; i < kC.cells; ++i) {
          for (int e = 0; e < kC.channels; ++e) {
            const auto source = ToFactor<kC, kC.channels>(x[kC.WindowCell(i, t)], e);
            sums_[i][e] = MultiplyAdd(source, w[t][e], sums_[i][e]);
          }
        }
      }
    }
  }

  const DirectGatherArgs& args_;
  const DirectRun& run_;
  const Buffer source_, w_;
  const bool exists_;
  int source_offset_, w_offset_, out_offset_;  // of the lane's first channel
  int turn_;                                   // rows of taps until the split's next one
  DirectSum<kC> sums_[kC.cells][kC.channels];
};

/// Forward and backward-data of a convolution whose groups have few channels, as sub-GEMMs (see
/// core/conv/gemm_map.h) without a GEMM: workgroups along x take runs of output cells, a wave each,
/// and along y channels, a lane each, and along z splits. Every element of the output, or of a
/// split's sums, is written exactly once.
template <DirectConfig kC, Gfx kGfx>
GRIDWISE_DEVICE void DirectGatherTile() {
  static_assert(kGfx == kThisTarget, "the row and the object are for different targets");
  static_assert(Reject(kC, kGfx) == nullptr, "the row does not suit the target");
  const DirectGatherArgs& args = KernelArgs<DirectGatherArgs>();
  const int tile = SlotOf(args.map.of_launch, BlockIdX(), args.map.slots);
  const SubGemm gemm = FindSubGemm(args, tile);
  const int index = (tile - gemm.first_tile) * kDirectGatherWaves + WaveOfGroup<kGfx>();
  if (index >= gemm.m) return;
  const DirectRun run = RunAt<kC>(gemm, index);
  const int channel = (BlockIdY() * TraitsOf(kGfx).wave_size + LaneOfWave<kGfx>()) * kC.channels;
  DirectGatherLane<kC, kGfx> lane(args, run, channel);
  for (int tap = 0; tap < gemm.axis[2].taps; tap += kC.taps) lane.AddTaps(tap);
  lane.Store();
}

}  // namespace gridwise::direct
