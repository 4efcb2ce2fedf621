// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/memory.h"
#include "core/launch/combine.h"
#include "tile/config.h"
#include "tile/epilogue/output_tile.h"
#include "tile/epilogue/wave_stage.h"
#include "tile/pipeline/wave_acc.h"
#include "tile/roles.h"

namespace gridwise::tile {

/// Stores tiles that are not plain: with operations on sums, ends within a run of columns, columns
/// that are not adjacent, or sums that are added to the output's.
template <TileConfig kC, Gfx kGfx, class OutputMap>
class FinishTile {
 public:
  GRIDWISE_DEVICE explicit FinishTile(const OutputTile<kC, kGfx, OutputMap>& tile) : tile_(tile) {}

  template <class Out>
  GRIDWISE_DEVICE void Store(const WaveAcc<kC>& acc) const {
    constexpr int kVec = SizeOf(kC.type) == 4 ? 4 : 8;
    using Stage = WaveStage<kC, Element<SumType(kC.type)>, kVec>;
    const Stage stage(tile_.stage());
#pragma clang loop unroll(disable)
    for (int subtile = 0; subtile < Stage::kSubtiles; ++subtile) {
#pragma clang loop unroll(full)
      for (int i = 0; i < Stage::kSubtiles; ++i) {  // registers cannot be indexed
        if (subtile == i) stage.Write(acc, i);
      }
      FenceLdsOfWave();
#pragma clang loop unroll(disable)
      for (int i = 0; i < Stage::kTimes; ++i) {
        if (!stage.HasRow(i)) continue;
        const auto sums = stage.Read(i);
        // Varies within the loop: otherwise everything that depends on it would be kept in
        // registers.
        const int row = stage.Row(subtile, i), column = Opaque(WaveN<kC>() + stage.Column(subtile));
        if constexpr (__is_same(Out, int)) {
          StoreRun<int>(sums, row, column);
        } else {
          auto values = __builtin_convertvector(sums, Vec<float, kVec>);
          if (tile_.finishes()) FromSums<Out>(values, row, column);
          if (__is_same(Out, float) && tile_.adds()) {
            AddTo(values, row, column);
          } else {
            StoreRun<Out>(values, row, column);
          }
        }
      }
      FenceLdsOfWave();
    }
  }

 private:
  /// From sums to the values of the output.
  template <class Out, class Values>
  GRIDWISE_DEVICE void FromSums(Values& values, int row, int column) const {
    constexpr int kVec = sizeof(Values) / sizeof(values[0]);
    for (int e = 0; e < kVec; ++e) values[e] *= tile_.args().alpha;
#pragma clang loop unroll(disable)
    for (int i = 0; i < tile_.args().tensors; ++i) {
      const EpilogueTensorArgs& tensor = tile_.args().tensor[i];
      const unsigned offset = tile_.TensorRowOffset(i, row);
      if (tensor.is_f32) {
        CombineWith<float>(tensor, offset, column, values);
      } else {
        CombineWith<Out>(tensor, offset, column, values);
      }
    }
    for (int e = 0; e < kVec; ++e) values[e] = Clamp(tile_.args(), values[e]);
  }

  /// Combines the `kVec` columns from `column` on with those of `tensor`, whose row is `row`.
  template <class T, class Values>
  GRIDWISE_DEVICE void CombineWith(const EpilogueTensorArgs& tensor, unsigned row, int column,
                                   Values& values) const {
    constexpr int kVec = sizeof(Values) / sizeof(values[0]);
    constexpr int kPart = 16 / sizeof(T) < kVec ? 16 / sizeof(T) : kVec;  // elements per load
    const Buffer buffer = Buffer::From<kGfx>(tile_.map().Base(tensor.data, tensor.strides));
    if (!tensor.by_element && tile_.columns() % kVec == 0) {
      const unsigned offset =
          (row + tile_.map().Column(tensor.strides, column)) | tile_.PastColumns(column, 0);
      for (int part = 0; part < kVec; part += kPart) {
        const auto d = buffer.Load<Vec<T, kPart>>(offset, part * static_cast<int>(sizeof(T)));
        for (int e = 0; e < kPart; ++e) {
          values[part + e] = Combine(tensor, values[part + e], static_cast<float>(d[e]));
        }
      }
    } else {
      for (int e = 0; e < kVec; ++e) {
        const unsigned offset =
            (row + tile_.map().Column(tensor.strides, column + e)) | tile_.PastColumns(column, e);
        values[e] = Combine(tensor, values[e], static_cast<float>(buffer.Load<T>(offset, 0)));
      }
    }
  }

  template <class Out, class Values>
  GRIDWISE_DEVICE void StoreRun(const Values& values, int row, int column) const {
    constexpr int kVec = sizeof(Values) / sizeof(values[0]);
    constexpr int kPart = 16 / sizeof(Out) < kVec ? 16 / sizeof(Out) : kVec;
    constexpr int kHalf = kPart > 4 ? kPart / 2 : kPart;
    if (kHalf < kPart && tile_.columns() % kPart == kHalf) {
      StoreParts<Out, kHalf>(values, tile_.RowOffset(row), column);
    } else {
      StoreParts<Out, kPart>(values, tile_.RowOffset(row), column);
    }
  }

  /// The same by stores of `kPart` elements, and of single ones if the last columns end within such
  /// a part.
  template <class Out, int kPart, class Values>
  GRIDWISE_DEVICE void StoreParts(const Values& values, unsigned row, int column) const {
    constexpr int kVec = sizeof(Values) / sizeof(values[0]);
    if (!tile_.by_element()) {
      const unsigned offset = row + tile_.ColumnOffset(column);
      for (int part = 0; part < kVec; part += kPart) {
        Vec<Out, kPart> out;
        for (int e = 0; e < kPart; ++e) out[e] = static_cast<Out>(values[part + e]);
        tile_.out().Store(
            out, (offset + part * sizeof(Out)) | tile_.PastColumns(column, part + kPart - 1));
      }
      if (tile_.columns() % kPart == 0) return;
    }
    for (int e = 0; e < kVec; ++e) {
      const unsigned in_part =
          tile_.by_element()
              ? 0
              : ~tile_.PastColumns(column, e / kPart * kPart + kPart - 1) & Buffer::kOutOfRange;
      const unsigned offset = row + tile_.ColumnOffset(column + e);
      tile_.out().Store(static_cast<Out>(values[e]),
                        offset | in_part | tile_.PastColumns(column, e));
    }
  }

  template <class Values>
  GRIDWISE_DEVICE void AddTo(const Values& values, int row, int column) const {
    for (unsigned e = 0; e < sizeof(Values) / sizeof(values[0]); ++e) {
      const unsigned offset = tile_.RowOffset(row) + tile_.ColumnOffset(column + e);
      tile_.out().template AtomicAdd<kGfx>(values[e], offset | tile_.PastColumns(column, e));
    }
  }

  const OutputTile<kC, kGfx, OutputMap>& tile_;
};

}  // namespace gridwise::tile
