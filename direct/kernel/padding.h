// SPDX-License-Identifier: MIT
#pragma once

#include "core/launch/output_type.h"
#include "direct/kernel/gather_lane.h"

namespace gridwise::direct {

/// Padding is zeros that are multiplied by the weights, which makes NaN of the sums if weights are
/// not finite. Gather lanes skip lines of padding; once a run is stored, its elements that have
/// such products become NaN. By then the registers of sums are free, and most runs have no such
/// products.

/// Whether some line of taps along w leads the run's pixels out of the source.
template <DirectConfig kC>
GRIDWISE_DEVICE bool MeetsPadding(const DirectGatherArgs& args, const DirectRun& run) {
  bool meets = false;
#pragma unroll
  for (int axis = 0; axis < 2; ++axis) {
    const AxisPhase& of = run.gemm.axis[axis];
    const int more = axis == 1 ? (kC.rows_of_lane() - 1) * args.strides[1].source_stride : 0;
    const int first = SourcePixel(of, args.strides[axis], run.j[axis], 0);
    const int last = SourcePixel(of, args.strides[axis], run.j[axis], of.taps - 1) + more;
    meets |= of.taps > 0 && (first < 0 || last >= args.source.size[axis]);
  }
  return meets;
}

/// A lane's elements of a stored run.
template <DirectConfig kC, Gfx kGfx>
class StoredRun {
  static constexpr int kRows = kC.rows_of_lane();

 public:
  GRIDWISE_DEVICE StoredRun(const DirectGatherArgs& args, const DirectRun& run,
                            const LaneItem& item)
      : args_(args),
        run_(run),
        item_(item),
        exists_(item.exists && run.image + item.image < args.images) {}

  /// Makes NaN of elements that have products of padding and weights that are not finite. `lds` has
  /// the weights of all taps, or is null.
  GRIDWISE_DEVICE void Spoil(int first_item, const char* lds) const {
    const auto& [d, h, w] = run_.gemm.axis;
    for (int tap_w = 0; tap_w < w.taps; tap_w += kC.taps) {
      for (int tap_d = 0; tap_d < d.taps; ++tap_d) {
        const int at_d = SourcePixel(d, args_.strides[0], run_.j[0], tap_d);
        for (int tap_h = 0; tap_h < h.taps; ++tap_h) {
          const unsigned rows =
              IsPixel(at_d, args_.source.size[0]) ? PaddedRows(tap_h) : (1u << kRows) - 1;
          if (rows != 0) SpoilRows(rows, {tap_d, tap_h, tap_w}, first_item, lds);
        }
      }
    }
  }

 private:
  struct Taps {
    int d, h, w;
  };

  /// A bit mask: the lane's rows whose pixels a tap along h leads out of the source.
  GRIDWISE_DEVICE unsigned PaddedRows(int tap_h) const {
    unsigned rows = 0;
#pragma unroll
    for (int row = 0; row < kRows; ++row) {
      const int at = SourcePixel(run_.gemm.axis[1], args_.strides[1], run_.j[1] + row, tap_h);
      rows |= (IsPixel(at, args_.source.size[1]) ? 0u : 1u) << row;
    }
    return rows;
  }

  /// Makes NaN of rows if a line of taps along w has a weight that is not finite.
  GRIDWISE_DEVICE void SpoilRows(unsigned rows, const Taps& taps, int first_item,
                                 const char* lds) const {
    unsigned channels = 0;
    if (kC.has_resident_weights() && lds != nullptr) {
      channels = NotFiniteInLds(taps, first_item, lds);
    } else {
      WeightsOfLane<kC, kGfx> weights(args_, run_.gemm, first_item);
      for (int channel = 0; channel < args_.source_channels; ++channel) {
        weights.Load({.d = taps.d,
                      .h = taps.h,
                      .w = taps.w,
                      .count_d = 1,
                      .count_h = 1,
                      .groups_w = 1,
                      .channel = channel},
                     nullptr);
        RowFactors<kC> factors;
        weights.Read(nullptr, 0, factors);
        channels |= NotFinite(factors);
      }
    }
    if (channels == 0 || !exists_) return;
#pragma unroll
    for (int row = 0; row < kRows; ++row) {
      if ((rows >> row & 1) != 0) StoreNaN(row, channels);
    }
  }

  GRIDWISE_DEVICE unsigned NotFiniteInLds(const Taps& taps, int first_item, const char* lds) const {
    if constexpr (!kC.has_resident_weights()) {
      return 0;
    } else {
      const auto& [d, h, w] = run_.gemm.axis;
      const DirectWeightsOf<kC, kGfx> weights(args_, run_.gemm, first_item);
      RowFactors<kC> factors;
      weights.Read(lds, (taps.w / kC.taps * d.taps + taps.d) * h.taps + taps.h, factors);
      return NotFinite(factors);
    }
  }

  GRIDWISE_DEVICE void StoreNaN(int row, unsigned channels) const {
    const auto& [d, h, w] = run_.gemm.axis;
    if (run_.j[1] + row >= h.count) return;
    const int group = Divide(item_.channel, args_.by_out_of_group);
    const Buffer out =
        Buffer::From<kGfx>(static_cast<const char*>(args_.out.data) + run_.image * args_.out.image +
                           BlockIdZ() * args_.split_bytes);
    const int first = item_.image * static_cast<int>(args_.out.image) + group * args_.out.group +
                      (item_.channel - group * args_.out_of_group) * args_.out_element +
                      OutputPixel(d, args_.strides[0], run_.j[0]) * args_.out.pixel[0] +
                      OutputPixel(h, args_.strides[1], run_.j[1] + row) * args_.out.pixel[1];
    WithFloatOutput<kC.type>(args_.out_type, [&]<DataType kOut>() {
      const Vec<Element<kOut>, 1> nan = {static_cast<Element<kOut>>(__builtin_nanf(""))};
      for (int i = 0; i < kC.pixels; ++i) {
        const int j = run_.j[2] + i;
        const int pixel = first + OutputPixel(w, args_.strides[2], j) * args_.out.pixel[2];
        for (int e = 0; e < kC.channels; ++e) {
          const bool is_nan = j < w.count && (channels >> e & 1) != 0;
          out.Store(nan, OffsetIf(is_nan, pixel + e * args_.out_element));
        }
      }
    });
  }

  const DirectGatherArgs& args_;
  const DirectRun& run_;
  const LaneItem item_;
  const bool exists_;
};

}  // namespace gridwise::direct
