// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/kernel/finish.h"
#include "hopper/kernel/vector_columns.h"

/// Vectors of columns of a row in global memory, and the pairs of columns that lanes have in sums.

namespace gridwise::hopper {

/// Four lanes hold 16 columns of a row as pairs of each half, two values per word. Gives lane q
/// columns 4 q to 4 q + 3.
GRIDWISE_DEVICE Vec<unsigned, 2> AdjacentColumns(unsigned low_half, unsigned high_half) {
  const int q = ThreadId() % 4;
  const unsigned own = q < 2 ? low_half : high_half;
  const unsigned got = ShuffleXor(q < 2 ? high_half : low_half, 2);
  const unsigned first = q < 2 ? own : got,
                 second = q < 2 ? got : own;  // words q % 2, and + 2
  const unsigned other = ShuffleXor(q % 2 == 0 ? second : first, 1);
  return q % 2 == 0 ? Vec<unsigned, 2>{first, other} : Vec<unsigned, 2>{other, second};
}

/// Adds a tensor of the epilogue to 64 rows of sums, two columns at a time. All of 64 columns are
/// loaded before the first is added. Rows and columns that do not exist get any value.
template <int kColumns, DataType kNarrow, class Finish>
GRIDWISE_DEVICE void AddTensor(const Finish& finish, const EpilogueTensorArgs& tensor,
                               const typename Finish::Row (&rows)[2], float (&d)[kColumns / 2],
                               int first_column) {
  const char* const from[2] = {finish.RowOf(tensor, rows[0]), finish.RowOf(tensor, rows[1])};
#pragma unroll
  for (int first = 0; first < kColumns; first += 64) {
    // Here: which columns exist would be found out for all of them, ahead of the first tensor.
    const VectorColumns<Finish> columns(finish, tensor.strides, first_column + first,
                                        Here(ThreadId() % 4 * 2));
    const long mine = columns.AtMine(2);
    unsigned loaded[2][8];
#pragma unroll
    for (int c = 0; c < 64 && first + c < kColumns; c += 8) {
      const bool exists = columns.Has(c);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        loaded[half][c / 8] = LoadIf(exists, from[half] + mine + columns.At(c, 2));
      }
    }
#pragma unroll
    for (int c = 0; c < 64 && first + c < kColumns; c += 8) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const Vec<float, 2> pair = Unpack<kNarrow>(loaded[half][c / 8]);
        float* const v = d + (first + c) / 2 + half * 2;
        v[0] += tensor.scale * pair[0];
        v[1] += tensor.scale * pair[1];
      }
    }
  }
}

/// Whether a tensor is the same for all rows, as a bias is.
GRIDWISE_DEVICE bool IsSameForRows(const OutputStrides& strides) {
  return strides.image == 0 && (strides.axis[0] | strides.axis[1] | strides.axis[2]) == 0;
}

/// Adds such a tensor to 64 rows of sums. Its columns are loaded once for both rows of a lane.
template <int kColumns, DataType kNarrow, class Finish>
GRIDWISE_DEVICE void AddColumns(const Finish& finish, const EpilogueTensorArgs& tensor,
                                const typename Finish::Row (&rows)[2], float (&d)[kColumns / 2],
                                int first_column) {
  const char* const from = finish.RowOf(tensor, rows[0].is_there ? rows[0] : rows[1]);
#pragma unroll
  for (int first = 0; first < kColumns; first += 64) {
    const VectorColumns<Finish> columns(finish, tensor.strides, first_column + first,
                                        Here(ThreadId() % 4 * 2));
    const char* const mine = from + columns.AtMine(2);
    unsigned loaded[8];
#pragma unroll
    for (int c = 0; c < 64 && first + c < kColumns; c += 8) {
      loaded[c / 8] = LoadIf(columns.Has(c), mine + columns.At(c, 2));
    }
#pragma unroll
    for (int c = 0; c < 64 && first + c < kColumns; c += 8) {
      const Vec<float, 2> pair = Unpack<kNarrow>(loaded[c / 8]);
      float* const v = d + (first + c) / 2;
#pragma unroll
      for (int i = 0; i < 4; ++i) v[i] += tensor.scale * pair[i % 2];
    }
  }
}

/// Fetches what FinishRows will add to 64 rows into L2. Called by a whole warpgroup.
template <int kColumns, class Finish>
GRIDWISE_DEVICE void FetchTensors(const Finish& finish, int first_row) {
  if constexpr (Finish::kAddsTensors) {
    constexpr int kLineColumns = 64, kLines = (kColumns + kLineColumns - 1) / kLineColumns;
#pragma clang loop unroll(disable)
    for (int i = 0; i < finish.args().tensors; ++i) {
      const EpilogueTensorArgs& tensor = finish.args().tensor[i];
      if (IsSameForRows(tensor.strides)) continue;
#pragma clang loop unroll(disable)
      for (int at = ThreadId() % 128; at < 64 * kLines; at += 128) {
        const int column = at % kLines * kLineColumns;
        if (finish.Count(column) <= 0) continue;
        FetchLine(finish.RowOf(tensor, finish.FindRow(first_row + at / kLines)) +
                  finish.output().Column(tensor.strides, column));
      }
    }
  }
}

/// The epilogue of 64 rows of sums that are stored by vectors or boxes. Called by whole warps. If
/// the last tensor is staged (staged.h), the caller adds it, and clamps the sums.
template <int kColumns, DataType kNarrow, class Finish, class Sum>
GRIDWISE_DEVICE void FinishRows(const Finish& finish, int first_row, Sum (&d)[kColumns / 2],
                                int first_column = 0, bool is_last_staged = false) {
  const EpilogueArgs& args = finish.args();
  if constexpr (Finish::kAddsTensors) {
    if (args.tensors > 0) [[unlikely]] {
      const int row = first_row + ThreadId() % 128 / 32 * 16 + ThreadId() % 32 / 4;
      const typename Finish::Row rows[2] = {finish.FindRow(row), finish.FindRow(row + 8)};
      if (args.alpha != 1) {
#pragma unroll
        for (float& v : d) v *= args.alpha;
      }
#pragma clang loop unroll(disable)
      for (int i = 0; i < args.tensors - (is_last_staged ? 1 : 0); ++i) {
        const EpilogueTensorArgs& tensor = args.tensor[i];
        if (IsSameForRows(tensor.strides)) {
          AddColumns<kColumns, kNarrow>(finish, tensor, rows, d, first_column);
        } else {
          AddTensor<kColumns, kNarrow>(finish, tensor, rows, d, first_column);
        }
      }
      if (args.clamps && !is_last_staged) ClampSums(args, d);
      return;
    }
  }
  FinishSums(args, d);
}

}  // namespace gridwise::hopper
