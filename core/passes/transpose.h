// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"
#include "core/arch/sync.h"
#include "core/passes/transpose_args.h"

namespace gridwise {

/// Transposes a batch of matrices through LDS, a tile of one matrix per workgroup. Lanes read along
/// rows and write along columns, so both sides touch whole memory lines. Word is an unsigned
/// integer of an element's size.
template <class Word>
GRIDWISE_DEVICE void TransposeTile(const TransposeArgs& args) {
  constexpr int kTile = kTransposeTile, kRowsAtATime = kTransposeThreads / kTile;
  constexpr int kPitch = kTile + 4 / static_cast<int>(sizeof(Word));  // spreads columns over banks
  GRIDWISE_LDS Word tile[kTile * kPitch];
  const int at = BlockIdY() * kTransposeRow + BlockIdX();
  const int by_column = static_cast<int>(Divide(at, args.by_column_tiles));
  const int matrix = static_cast<int>(Divide(by_column, args.by_row_tiles));
  if (matrix >= args.matrices) return;  // after the last tile of the last row of workgroups
  const int first_row = (by_column - matrix * args.row_tiles) * kTile;
  const int first_column = (at - by_column * args.column_tiles) * kTile;
  const long start = static_cast<long>(matrix) * args.rows * args.columns;
  const Word* const from = static_cast<const Word*>(args.from) + start;
  Word* const to = static_cast<Word*>(args.to) + start;

  const int lane = ThreadId() % kTile, group = ThreadId() / kTile;
  Word loaded[kTile / kRowsAtATime] = {};  // all are in flight before the first is stored
#pragma unroll
  for (int i = 0; i < kTile / kRowsAtATime; ++i) {
    const int row = first_row + group + i * kRowsAtATime, column = first_column + lane;
    if (row < args.rows && column < args.columns) {
      loaded[i] = from[static_cast<long>(row) * args.columns + column];
    }
  }
#pragma unroll
  for (int i = 0; i < kTile / kRowsAtATime; ++i) {
    tile[(group + i * kRowsAtATime) * kPitch + lane] = loaded[i];
  }
  BarrierLds();
  for (int i = group; i < kTile; i += kRowsAtATime) {
    const int column = first_column + i, row = first_row + lane;
    if (row < args.rows && column < args.columns) {
      to[static_cast<long>(column) * args.rows + row] = tile[lane * kPitch + i];
    }
  }
}

}  // namespace gridwise
