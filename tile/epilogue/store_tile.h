// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/memory.h"
#include "core/arch/sync.h"
#include "core/launch/combine.h"
#include "core/launch/output_type.h"
#include "tile/block_sums.h"
#include "tile/config.h"
#include "tile/epilogue/fixup.h"
#include "tile/epilogue/wave_stage.h"
#include "tile/fixup_args.h"
#include "tile/lds_layout.h"
#include "tile/pipeline/wave_acc.h"
#include "tile/roles.h"

namespace gridwise::tile {

/// Writes the tile: see EpilogueArgs. Each wave's sums go through LDS, some matrix instructions at
/// a time, so that lanes store 16 consecutive bytes. Waves do not wait for each other. Nearly all
/// tiles are plain: the output is the sums, rounded to its type on their way to LDS.
///
/// OutputMap knows where rows and columns of the tile are in tensors of the output's shape:
///
///   const char* Base(data, strides)       what offsets count from
///   unsigned Row(strides, row)            offset of a row, or Buffer::kOutOfRange where it is none
///   int Column(strides, column)           further offset of a column
///   int columns()                         existing columns, from the tile's first on, or
///                                         of a group, if there are parts
///   int ColumnsOf(part)                   columns of a part (kHasColumnParts), from its first
///                                         on, which end where columns() do; or none
///   int Tile()                            the tile's number, for instances that join splits
template <TileConfig kC, Gfx kGfx, class OutputMap>
class StoreTile {
 public:
  /// `lds` belongs to the workgroup, and its operands have been read when Store begins. `split` is
  /// the workgroup's part of K.
  GRIDWISE_DEVICE StoreTile(const EpilogueArgs& args, const FixupArgs& fixup,
                            const OutputMap& output, int split, char* lds)
      : args_(args),
        fixup_(fixup, output, split),
        out_type_(args.out_type),
        adds_(args.adds),
        finishes_((args.tensors != 0) | (args.clamps != 0) | (args.alpha != 1)),
        by_element_(args.by_element),
        columns_(output.columns()),
        out_(Buffer::From<kGfx>(
            WhileLoading<kC>(output.Base(args.out, args.strides) + split * args.split_bytes))),
        output_(output),
        lds_(lds + WaveOfWorkgroup<kC>() * kBytesOfWave),
        row_offsets_(reinterpret_cast<unsigned*>(lds_ + kRowOffsetsAt)) {
    for (int i = 0; i < kRowsAhead; ++i) row_of_lane_[i] = Opaque(RowOffset(i));
  }

  /// Stores `acc`. With a fix-up, `acc` becomes the sums of all splits.
  GRIDWISE_DEVICE void Store(WaveAcc<kC>& acc) const {
    if (!fixup_(acc)) return;
    WriteRowOffsets();
    if constexpr (SumType(kC.type) == DataType::kI32) {
      if (out_type_ == static_cast<int>(DataType::kI32)) return StoreAs<int>(acc);
    }
    WithFloatOutput<kC.type>(out_type_, [&]<DataType kOut>() { StoreAs<Element<kOut>>(acc); });
  }

 private:
  // Constants, so that no kernel computes them or calls what computes them.
  static constexpr int kRowOffsetsAt = LdsLayout{kC}.row_offsets_at(),
                       kBytesOfWave = LdsLayout{kC}.epilogue_bytes();
  // The columns are parts, each of which ends where the channels of a group end: groups that are
  // filled up, or filter taps of blocks.
  static constexpr bool kHasColumnParts = kC.fills_groups() || kC.sums_blocks();
  static constexpr int kColumnsOfPart =
      kC.sums_blocks() ? BlockSums{kC}.columns_of_tap() : kC.n_of_group();
  // Tensors may have 4 channels fewer than whole vectors.
  static constexpr bool kHasParts =
      kC.loads_partial_vectors() || (kC.sums_blocks() && kC.patch_a.n < kC.vector());

  static constexpr int kRowsOfLane = CeilDiv(kC.wave_m(), kC.mma.lanes());
  // Rows whose offsets are computed while the first k tile is in flight.
  static constexpr int kRowsAhead = kC.pipeline.schedule == Schedule::kWavelet ? kRowsOfLane : 0;

  /// The wave's `i`-th row whose offset the lane computes.
  GRIDWISE_DEVICE static int RowOfLane(int i) {
    const int row = i * kC.mma.lanes() + Lane<kC>();
    return row < kC.wave_m() ? row : kC.wave_m() - 1;
  }

  GRIDWISE_DEVICE unsigned RowOffset(int i) const {
    return output_.Row(args_.strides, WaveM<kC>() + RowOfLane(i));
  }

  GRIDWISE_DEVICE void WriteRowOffsets() const {
    for (int i = 0; i < kRowsOfLane; ++i) {
      const int row = RowOfLane(i);
      row_offsets_[row] = kRowsAhead > 0 ? row_of_lane_[i] : RowOffset(i);
      for (int t = 0; t < args_.tensors; ++t) [[unlikely]] {
        row_offsets_[(t + 1) * kC.wave_m() + row] =
            output_.Row(args_.tensor[t].strides, WaveM<kC>() + row);
      }
    }
  }

  template <class Out>
  GRIDWISE_DEVICE void StoreAs(const WaveAcc<kC>& acc) const {
    constexpr int kVec = 16 / sizeof(Out);
    const bool whole = columns_ >= kC.tile.n || columns_ % kVec == 0;
    const bool plain = !finishes_ && adds_ == 0 && by_element_ == 0;
    if (whole && plain) [[likely]] {
      StorePlainly<Out, kVec>(acc);
    } else if (kHasParts && kVec > 4 && columns_ % 4 == 0 && plain) {
      StorePlainly<Out, 4>(acc);
    } else {
      Finish<Out>(acc);
    }
  }

  /// Stores runs of kVec columns that exist together or not.
  template <class Out, int kVec>
  GRIDWISE_DEVICE void StorePlainly(const WaveAcc<kC>& acc) const {
    using Stage = WaveStage<kC, Out, kVec>;
    const Stage stage(lds_);
#pragma clang loop unroll(full)
    for (int subtile = 0; subtile < Stage::kSubtiles; ++subtile) {
      stage.Write(acc, subtile);
      FenceLdsOfWave();
      const int column = WaveN<kC>() + stage.Column(subtile);
      const unsigned offset = output_.Column(args_.strides, column), past = PastColumns(column, 0);
      for (int i = 0; i < Stage::kTimes; ++i) {
        if (!stage.HasRow(i)) continue;
        out_.Store(stage.Read(i), (row_offsets_[stage.Row(subtile, i)] + offset) | past);
      }
      FenceLdsOfWave();
    }
  }

  /// Stores tiles that are not plain: with operations on sums, ends within a run of columns,
  /// columns that are not adjacent, or sums that are added to the output's.
  template <class Out>
  GRIDWISE_DEVICE void Finish(const WaveAcc<kC>& acc) const {
    constexpr int kVec = SizeOf(kC.type) == 4 ? 4 : 8;
    using Stage = WaveStage<kC, Element<SumType(kC.type)>, kVec>;
    const Stage stage(lds_);
#pragma clang loop unroll(disable)
    for (int subtile = 0; subtile < Stage::kSubtiles; ++subtile) {
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
          if (finishes_) FromSums<Out>(values, row, column);
          if (__is_same(Out, float) && adds_ != 0) {
            AddTo(values, row, column);
          } else {
            StoreRun<Out>(values, row, column);
          }
        }
      }
      FenceLdsOfWave();
    }
  }

  /// From sums to the values of the output.
  template <class Out, class Values>
  GRIDWISE_DEVICE void FromSums(Values& values, int row, int column) const {
    constexpr int kVec = sizeof(Values) / sizeof(values[0]);
    for (int e = 0; e < kVec; ++e) values[e] *= args_.alpha;
#pragma clang loop unroll(disable)
    for (int i = 0; i < args_.tensors; ++i) {
      const EpilogueTensorArgs& tensor = args_.tensor[i];
      const unsigned offset = row_offsets_[(i + 1) * kC.wave_m() + row];
      if (tensor.is_f32) {
        CombineWith<float>(tensor, offset, column, values);
      } else {
        CombineWith<Out>(tensor, offset, column, values);
      }
    }
    for (int e = 0; e < kVec; ++e) values[e] = Clamp(args_, values[e]);
  }

  /// kOutOfRange if column `column` + `e` is past the last.
  GRIDWISE_DEVICE unsigned PastColumns(int column, int e) const {
    int last = columns_ - 1;
    if constexpr (kHasColumnParts) {
      const int part = column / kColumnsOfPart;
      last = output_.ColumnsOf(part) + part * kColumnsOfPart - 1;
    }
    return static_cast<unsigned>(last - e - column) & Buffer::kOutOfRange;
  }

  /// Combines the `kVec` columns from `column` on with those of `tensor`, whose row is `row`.
  template <class T, class Values>
  GRIDWISE_DEVICE void CombineWith(const EpilogueTensorArgs& tensor, unsigned row, int column,
                                   Values& values) const {
    constexpr int kVec = sizeof(Values) / sizeof(values[0]);
    constexpr int kPart = 16 / sizeof(T) < kVec ? 16 / sizeof(T) : kVec;  // elements per load
    const Buffer buffer = Buffer::From<kGfx>(output_.Base(tensor.data, tensor.strides));
    if (!tensor.by_element && columns_ % kVec == 0) {
      const unsigned offset =
          (row + output_.Column(tensor.strides, column)) | PastColumns(column, 0);
      for (int part = 0; part < kVec; part += kPart) {
        const auto d = buffer.Load<Vec<T, kPart>>(offset, part * static_cast<int>(sizeof(T)));
        for (int e = 0; e < kPart; ++e) {
          values[part + e] = Combine(tensor, values[part + e], static_cast<float>(d[e]));
        }
      }
    } else {
      for (int e = 0; e < kVec; ++e) {
        const unsigned offset =
            (row + output_.Column(tensor.strides, column + e)) | PastColumns(column, e);
        values[e] = Combine(tensor, values[e], static_cast<float>(buffer.Load<T>(offset, 0)));
      }
    }
  }

  template <class Out, class Values>
  GRIDWISE_DEVICE void StoreRun(const Values& values, int row, int column) const {
    constexpr int kVec = sizeof(Values) / sizeof(values[0]);
    constexpr int kPart = 16 / sizeof(Out) < kVec ? 16 / sizeof(Out) : kVec;
    constexpr int kHalf = kPart > 4 ? kPart / 2 : kPart;
    if (kHalf < kPart && columns_ % kPart == kHalf) {
      StoreParts<Out, kHalf>(values, row_offsets_[row], column);
    } else {
      StoreParts<Out, kPart>(values, row_offsets_[row], column);
    }
  }

  /// The same by stores of `kPart` elements, and of single ones if the last columns end within such
  /// a part.
  template <class Out, int kPart, class Values>
  GRIDWISE_DEVICE void StoreParts(const Values& values, unsigned row, int column) const {
    constexpr int kVec = sizeof(Values) / sizeof(values[0]);
    if (!by_element_) {
      const unsigned offset = row + output_.Column(args_.strides, column);
      for (int part = 0; part < kVec; part += kPart) {
        Vec<Out, kPart> out;
        for (int e = 0; e < kPart; ++e) out[e] = static_cast<Out>(values[part + e]);
        out_.Store(out, (offset + part * sizeof(Out)) | PastColumns(column, part + kPart - 1));
      }
      if (columns_ % kPart == 0) return;
    }
    for (int e = 0; e < kVec; ++e) {
      const unsigned in_part =
          by_element_ ? 0
                      : ~PastColumns(column, e / kPart * kPart + kPart - 1) & Buffer::kOutOfRange;
      const unsigned offset = row + output_.Column(args_.strides, column + e);
      out_.Store(static_cast<Out>(values[e]), offset | in_part | PastColumns(column, e));
    }
  }

  template <class Values>
  GRIDWISE_DEVICE void AddTo(const Values& values, int row, int column) const {
    for (unsigned e = 0; e < sizeof(Values) / sizeof(values[0]); ++e) {
      const unsigned offset = row_offsets_[row] + output_.Column(args_.strides, column + e);
      out_.template AtomicAdd<kGfx>(values[e], offset | PastColumns(column, e));
    }
  }

  const EpilogueArgs& args_;
  const Fixup<kC, kGfx> fixup_;
  const int out_type_, adds_;
  const bool finishes_;  // the sums are not the values of the output
  const int by_element_, columns_;
  const Buffer out_;
  const OutputMap& output_;
  char* const lds_;  // of the wave
  unsigned* const row_offsets_;
  unsigned row_of_lane_[kRowsOfLane];  // of the rows ahead
};

}  // namespace gridwise::tile
