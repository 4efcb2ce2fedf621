// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/memory.h"
#include "core/launch/combine.h"
#include "tile/block_sums.h"
#include "tile/config.h"
#include "tile/lds_layout.h"
#include "tile/pipeline/wave_acc.h"
#include "tile/roles.h"

namespace gridwise::tile {

/// Where the elements of a wave's tile are in the output, and what is done with its sums. LDS has a
/// stage for the sums, then the offsets of rows of the output and of the tensors that are combined
/// with it.
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
class OutputTile {
 public:
  /// `lds` belongs to the workgroup. `split` is the workgroup's part of K.
  GRIDWISE_DEVICE OutputTile(const EpilogueArgs& args, const OutputMap& output, int split,
                             char* lds)
      : args_(args),
        adds_(args.adds),
        by_element_(args.by_element),
        finishes_(Finishes()),
        output_(output),
        split_(split),
        stage_(lds + WaveOfWorkgroup<kC>() * kBytesOfWave),
        row_offsets_(reinterpret_cast<unsigned*>(stage_ + kRowOffsetsAt)) {
    if constexpr (kRowsAhead > 0) Locate();
    for (int i = 0; i < kRowsAhead; ++i) row_of_lane_[i] = Opaque(OffsetOfLane(i));
  }

  /// Finds out where the tile goes, and writes the offsets of its rows.
  GRIDWISE_DEVICE void Prepare() {
    if constexpr (kRowsAhead == 0) Locate();
    for (int i = 0; i < kRowsOfLane; ++i) {
      const int row = RowOfLane(i);
      row_offsets_[row] = kRowsAhead > 0 ? row_of_lane_[i] : OffsetOfLane(i);
      for (int t = 0; t < args_.tensors; ++t) [[unlikely]] {
        row_offsets_[(t + 1) * kC.wave_m() + row] =
            output_.Row(args_.tensor[t].strides, WaveM<kC>() + row);
      }
    }
  }

  /// Whether the output is the sums, rounded to its type, in columns that are adjacent.
  GRIDWISE_DEVICE bool is_plain() const { return special_ == 0; }
  /// Whether the sums are not the values of the output.
  GRIDWISE_DEVICE bool finishes() const { return finishes_ != 0; }
  /// Whether values are added to the output's.
  GRIDWISE_DEVICE bool adds() const { return adds_ != 0; }
  /// Whether columns are not adjacent in memory.
  GRIDWISE_DEVICE bool by_element() const { return by_element_ != 0; }
  /// Existing columns.
  GRIDWISE_DEVICE int columns() const { return columns_; }
  GRIDWISE_DEVICE const EpilogueArgs& args() const { return args_; }
  GRIDWISE_DEVICE const Buffer& out() const { return out_; }
  GRIDWISE_DEVICE const OutputMap& map() const { return output_; }
  /// The wave's LDS for sums.
  GRIDWISE_DEVICE char* stage() const { return stage_; }

  /// Offset of a row of the output, and of the `i`-th tensor that is combined with it.
  GRIDWISE_DEVICE unsigned RowOffset(int row) const { return row_offsets_[row]; }
  GRIDWISE_DEVICE unsigned TensorRowOffset(int i, int row) const {
    return row_offsets_[(i + 1) * kC.wave_m() + row];
  }
  /// Further offset of a column of the output.
  GRIDWISE_DEVICE unsigned ColumnOffset(int column) const {
    return output_.Column(args_.strides, column);
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

 private:
  // Constants, so that no kernel computes them or calls what computes them.
  static constexpr int kRowOffsetsAt = LdsLayout{kC}.row_offsets_at(),
                       kBytesOfWave = LdsLayout{kC}.epilogue_bytes();
  // The columns are parts, each of which ends where the channels of a group end: groups that are
  // filled up, or filter taps of blocks.
  static constexpr bool kHasColumnParts = kC.fills_groups() || kC.sums_blocks();
  static constexpr int kColumnsOfPart =
      kC.sums_blocks() ? BlockSums{kC}.columns_of_tap() : kC.n_of_group();
  static constexpr int kRowsOfLane = CeilDiv(kC.wave_m(), kC.mma.lanes());
  // Rows whose offsets are computed while the first k tile is in flight.
  static constexpr int kRowsAhead = kC.pipeline.schedule == Schedule::kWavelet ? kRowsOfLane : 0;

  /// The wave's `i`-th row whose offset the lane computes.
  GRIDWISE_DEVICE static int RowOfLane(int i) {
    const int row = i * kC.mma.lanes() + Lane<kC>();
    return row < kC.wave_m() ? row : kC.wave_m() - 1;
  }

  GRIDWISE_DEVICE unsigned OffsetOfLane(int i) const {
    return output_.Row(args_.strides, WaveM<kC>() + RowOfLane(i));
  }

  /// Not 0 if sums are not the values of the output. Scalar units compare no floats.
  GRIDWISE_DEVICE int Finishes() const {
    const int alpha = __builtin_bit_cast(int, args_.alpha);
    const int words = args_.tensors | args_.clamps | (alpha ^ __builtin_bit_cast(int, 1.0f));
    // One bit, where a loop over tiles keeps it.
    return kC.has_resident_weights() ? words != 0 : words;
  }

  GRIDWISE_DEVICE void Locate() {
    special_ = finishes_ | adds_ | by_element_;
    columns_ = output_.columns();
    if constexpr (kRowsAhead == 0) {  // or else they are in registers for all of the main loop
      special_ = WhileWaiting<kC>(special_);
      columns_ = WhileWaiting<kC>(columns_);
    }
    out_ = Buffer::From<kGfx>(
        WhileWaiting<kC>(output_.Base(args_.out, args_.strides) + split_ * args_.split_bytes));
  }

  const EpilogueArgs& args_;
  const int adds_, by_element_, finishes_;
  const OutputMap& output_;
  const int split_;
  int special_, columns_;
  Buffer out_;
  char* const stage_;
  unsigned* const row_offsets_;
  unsigned row_of_lane_[kRowsOfLane];  // of the rows ahead
};

}  // namespace gridwise::tile
