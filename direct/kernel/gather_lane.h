// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/sync.h"
#include "core/arch/this_target.h"
#include "core/launch/output_type.h"
#include "direct/kernel/gather_source.h"
#include "direct/kernel/lane.h"
#include "direct/kernel/taps.h"
#include "direct/kernel/weights.h"

namespace gridwise::direct {

/// One lane of a direct gather kernel: its channels of the output, and their operands.
template <DirectConfig kC, Gfx kGfx>
class DirectGatherLane {
  static constexpr int kRows = kC.rows_of_lane();
  using Weights = DirectWeightsOf<kC, kGfx>;

 public:
  GRIDWISE_DEVICE DirectGatherLane(const DirectGatherArgs& args, const DirectRun& run,
                                   const LaneItem& item)
      : args_(args), run_(run), source_(args, run, item) {
    const int group = Divide(item.channel, args.by_out_of_group);
    const int of_group = item.channel - group * args.out_of_group;
    out_offset_ = item.image * static_cast<int>(args.out.image) + group * args.out.group +
                  of_group * args.out_element;
    BeginSums(item);
    source_.SetWindow(0);
  }

  /// Adds the products of a block's taps, whose weights may be in LDS.
  GRIDWISE_DEVICE void AddTaps(const TapBlock& block, const Weights& weights, const char* lds) {
    const AxisPhase& d = run_.gemm.axis[0];
    for (int g = 0; g < block.groups_w; ++g) {
      if (block.w + g * kC.taps != source_.first_w()) source_.SetWindow(block.w + g * kC.taps);
      for (int i = 0; i < block.count_d; ++i) {
        const int at_d = SourcePixel(d, args_.strides[0], run_.j[0], block.d + i);
        if (!IsPixel(at_d, args_.source.size[0])) continue;
        AddPlane(block, at_d, weights, lds, block.FirstRow(g, i));
      }
    }
  }

  /// Writes the output pixels.
  GRIDWISE_DEVICE void Store(const DirectGatherArgs& args) const {
    const auto& [d, h, w] = run_.gemm.axis;
    const Buffer out =
        Buffer::From<kGfx>(static_cast<const char*>(args.out.data) + run_.image * args.out.image +
                           BlockIdZ() * args.split_bytes);
    unsigned offset[kC.pixels];
#pragma unroll
    for (int i = 0; i < kC.pixels; ++i) {
      const int j = run_.j[2] + i;
      offset[i] = OffsetIf(source_.exists() && j < w.count,
                           out_offset_ + OutputPixel(w, args.strides[2], j) * args.out.pixel[2]);
    }
#pragma unroll
    for (int row = 0; row < kRows; ++row) {
      const int j = run_.j[1] + row;
      if (kRows > 1 && j >= h.count) break;
      StoreRow(args.out_type, out, offset,
               OutputPixel(d, args.strides[0], run_.j[0]) * args.out.pixel[0] +
                   OutputPixel(h, args.strides[1], j) * args.out.pixel[1],
               sums_[row]);
    }
  }

 private:
  using RowSums = DirectSum<kC>[kC.pixels][kC.channels];

  GRIDWISE_DEVICE void BeginSums(const LaneItem& item) {
    DirectSum<kC> bias[kC.channels] = {};
    if constexpr (BeginsWithBias(kC, kGfx)) {
      if (args_.bias != nullptr && item.exists) {
        const auto* const from = static_cast<const Element<kC.type>*>(args_.bias) + item.channel;
#pragma unroll
        for (int e = 0; e < kC.channels; ++e) bias[e] = static_cast<float>(from[e]);
      }
    }
#pragma unroll
    for (auto& row : sums_) {
#pragma unroll
      for (auto& pixel : row) {
#pragma unroll
        for (int e = 0; e < kC.channels; ++e) pixel[e] = bias[e];
      }
    }
  }

  /// Adds the products of taps along h, for the block's rows from `first_row` on. Rows of the
  /// source that several rows of the output meet are loaded once.
  GRIDWISE_DEVICE void AddPlane(const TapBlock& block, int at_d, const Weights& weights,
                                const char* lds, int first_row) {
    const AxisPhase &h = run_.gemm.axis[1], &w = run_.gemm.axis[2];
    const int first = at_d * args_.source.pixel[0] + block.channel * SizeOf(kC.type);
    if constexpr (kConvertsFirst<kGfx>) {
      return w.taps - source_.first_w() < kC.taps
                 ? AddConverted<false>(block, first, weights, lds, first_row)
                 : AddConverted<true>(block, first, weights, lds, first_row);
    }
    for (int row = 0; row < (kRows - 1) * kC.stride + block.count_h; ++row) {
      const int at_h = SourcePixel(h, args_.strides[1], run_.j[1], block.h + row);
      if (!IsPixel(at_h, args_.source.size[1])) continue;
      DirectVec<kC> x[kC.window()];
      source_.LoadRow(first + at_h * args_.source.pixel[1], x);
      RowFactors<kC> factors;
      if constexpr (kRows == 1) weights.Read(lds, first_row + row, factors);
      // Given many loads, the compiler would wait for some before it issues the others.
      SchedulingFence();
#pragma unroll
      for (int to = 0; to < kRows; ++to) {
        const int tap_h = row - to * kC.stride;
        if (kRows > 1 && !IsPixel(tap_h, block.count_h)) continue;
        if constexpr (kRows > 1) weights.Read(lds, first_row + tap_h, factors);
        AddRow(x, factors, w.taps - source_.first_w(), sums_[to]);
      }
    }
  }

  /// The same where FMAs do not take halves. The pixels of a row are converted once for all rows of
  /// the output, and the loads of the next row are in flight while their products are added. One
  /// check decides whether all taps of a row exist.
  template <bool kAllTaps>
  GRIDWISE_DEVICE void AddConverted(const TapBlock& block, int first, const Weights& weights,
                                    const char* lds, int first_row) {
    const AxisPhase &h = run_.gemm.axis[1], &w = run_.gemm.axis[2];
    const int taps = kAllTaps ? kC.taps : w.taps - source_.first_w();
    const int rows = (kRows - 1) * kC.stride + block.count_h;
    DirectVec<kC> loaded[kC.window()] = {};
    DirectFactors<kC> x[kC.window()];
    bool exists = false;
    for (int row = -1; row < rows; ++row) {
      if (exists) Convert<kC>(loaded, x);
      const int at_h = SourcePixel(h, args_.strides[1], run_.j[1], block.h + row + 1);
      const bool next_exists = row + 1 < rows && IsPixel(at_h, args_.source.size[1]);
      if (next_exists) source_.LoadRow(first + at_h * args_.source.pixel[1], loaded);
#pragma unroll
      for (int to = 0; to < kRows; ++to) {
        const int tap_h = row - to * kC.stride;
        if (!exists || !IsPixel(tap_h, block.count_h)) continue;
        RowFactors<kC> factors;
        weights.Read(lds, first_row + tap_h, factors);
        AddRow(x, factors, taps, sums_[to]);
      }
      exists = next_exists;
    }
  }

  /// Adds the products of a row of the source with a row of up to `taps` taps.
  template <class Pixel>
  GRIDWISE_DEVICE static void AddRow(const Pixel (&x)[kC.window()], const RowFactors<kC>& factors,
                                     int taps, RowSums& sums) {
#pragma unroll
    for (int t = 0; t < kC.taps; ++t) {
      if (t > 0 && t >= taps) break;  // weights that are 0 would make NaN of infinite sources
#pragma unroll
      for (int i = 0; i < kC.pixels; ++i) {
#pragma unroll
        for (int e = 0; e < kC.channels; ++e) {
          const auto source = FactorOf<kC>(x[kC.WindowPixel(i, t)], e);
          sums[i][e] = MultiplyAdd(source, factors[t][e], sums[i][e]);
        }
      }
    }
  }

  GRIDWISE_DEVICE static void StoreRow(int out_type, const Buffer& out,
                                       const unsigned (&offset)[kC.pixels], int row,
                                       const RowSums& sums) {
    if constexpr (SumType(kC.type) == DataType::kI32) {
      if (out_type == static_cast<int>(DataType::kI32)) {
        return StoreAs<int>(out, offset, row, sums);
      }
    }
    WithFloatOutput<kC.type>(out_type, [&]<DataType kOut>() {
      StoreAs<gridwise::Element<kOut>>(out, offset, row, sums);
    });
  }
  template <class T>
  GRIDWISE_DEVICE static void StoreAs(const Buffer& out, const unsigned (&offset)[kC.pixels],
                                      int row, const RowSums& sums) {
#pragma unroll
    for (int i = 0; i < kC.pixels; ++i) {
      Vec<T, kC.channels> values;
#pragma unroll
      for (int e = 0; e < kC.channels; ++e) values[e] = static_cast<T>(sums[i][e]);
      out.Store(values, offset[i] + row);
    }
  }

  const DirectGatherArgs& args_;
  const DirectRun& run_;
  DirectGatherSource<kC, kGfx> source_;
  int out_offset_;  // of the lane's first channel
  RowSums sums_[kRows];
};

}  // namespace gridwise::direct
