// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/hopper.h"
#include "hopper/base/args.h"
#include "hopper/kernel/multiply.h"
#include "hopper/kernel/staged.h"
#include "hopper/kernel/vector_columns.h"
#include "hopper/kernel/vectors.h"

namespace gridwise::hopper {

/// TMA stores 64 rows in the operands' type, or f32 of tf32, from `row` of the tensor on, by
/// epilogue tiles: columns that pass through shared memory. Before an epilogue tile is staged,
/// prepare(tile, buffer, sums) waits for this warp's part of the buffer. Called by a whole
/// warpgroup. Each warp stores its own 16 rows, so warps need not meet.
template <Config kC>
GRIDWISE_DEVICE void StoreByBoxes(const TensorMap& out, SharedAddress staging, int row, int column,
                                  int channel_group, float (&d)[kC.columns / 2], auto&& prepare) {
  constexpr int kColumns = kC.stored_columns();
  const int lane = ThreadId() % 32, first = ThreadId() % 128 / 32 * 16;
#pragma unroll
  for (int tile = 0; tile < kC.columns / kColumns; ++tile) {
    using SumsOfTile = float[kColumns / 2];
    auto& sums = reinterpret_cast<SumsOfTile&>(d[tile * (kColumns / 2)]);
    const SharedAddress buffer = StagedBuffer<kC>(staging, tile);
    prepare(tile, buffer, sums);
    StageRows<kColumns, kC.type>(buffer, sums);
    FenceAsyncProxy();
    SyncWarp();
    if (lane == 0) {
      StoreBox(out, buffer, column + tile * kColumns, channel_group, row + first);
      CommitStores();
    }
  }
}

/// Lanes store 64 rows from their registers, whole sectors of 32 bytes at a time, with address
/// arithmetic for only two rows per lane. For outputs whose columns are adjacent, or adjacent in
/// groups of a multiple of 4, and whose rows are aligned to as many. Called by whole warps.
template <int kColumns, DataType kNarrow, class Finish, class Sum>
GRIDWISE_DEVICE void StoreVectors(const Finish& finish, int first_row, const Sum (&d)[kColumns / 2],
                                  int first_column) {
  const int lane = ThreadId() % 32, q = lane % 4;
  const int row = first_row + ThreadId() % 128 / 32 * 16 + lane / 4;
  char* const rows[2] = {finish.RowOf(finish.FindRow(row)), finish.RowOf(finish.FindRow(row + 8))};
#pragma unroll
  for (int first = 0; first < kColumns; first += 64) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      if (finish.is_wide()) {
        const VectorColumns<Finish> columns(finish, finish.args().strides, first_column + first,
                                            q * 2);
        char* const to = rows[half] + columns.AtMine(4);
#pragma unroll
        for (int c = 0; c < 64 && first + c < kColumns; c += 8) {
          const Sum* const v = d + (first + c) / 2 + half * 2;
          StoreIf(rows[half] != nullptr && columns.Has(c), to + columns.At(c, 4),
                  Vec<unsigned, 2>{__builtin_bit_cast(unsigned, v[0]),
                                   __builtin_bit_cast(unsigned, v[1])});
        }
        continue;
      }
      if constexpr (SizeOf(kNarrow) == 2) {
        const VectorColumns<Finish> columns(finish, finish.args().strides, first_column + first,
                                            q * 4);
        char* const to = rows[half] + columns.AtMine(2);
#pragma unroll
        for (int c = 0; c < 64 && first + c < kColumns; c += 16) {
          const float* const v = d + (first + c) / 2 + half * 2;
          const bool is_whole = first + c + 8 < kColumns;
          const unsigned low = Pack<kNarrow>(v[0], v[1]);
          const unsigned high = is_whole ? Pack<kNarrow>(v[4], v[5]) : 0;
          StoreIf(rows[half] != nullptr && columns.Has(c) && (is_whole || q < 2),
                  to + columns.At(c, 2), AdjacentColumns(low, high));
        }
      }
    }
  }
}

/// Lanes store 64 rows of 8 columns with any epilogue from their registers, in pairs per row.
template <class Finish, class Sum>
GRIDWISE_DEVICE void StoreEight(const Finish& finish, int first_row, const Sum (&d)[4],
                                int first_column) {
  const int lane = ThreadId() % 32, row = first_row + ThreadId() % 128 / 32 * 16 + lane / 4;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    finish.Store(Vec<Sum, 2>{d[half * 2], d[half * 2 + 1]}, finish.FindRow(row + half * 8),
                 first_column + lane % 4 * 2);
  }
}

/// Lanes store 64 rows with any epilogue; 32 columns at a time pass through shared memory, 8 KB of
/// `staging`. Called by a whole warpgroup.
template <int kColumns, class Finish, class Sum>
GRIDWISE_DEVICE void StoreElements(const Finish& finish, char* staging, int group, int first_row,
                                   const Sum (&d)[kColumns / 2], int first_column = 0) {
  if constexpr (kColumns == 8) return StoreEight(finish, first_row, d, first_column);
  using Two = Vec<Sum, 2>;
  using Four = Vec<Sum, 4>;
  constexpr int kStaged = 32;
  const int thread = ThreadId() % 128, lane = thread % 32;
  // Pieces of 16 bytes are swizzled so that 8 rows lie on different banks.
  const auto piece_at = [&](int row, int piece) __attribute__((always_inline)) {
    return staging + row * kStaged * 4 + ((piece ^ (row & 7)) * 16);
  };
  const int mine = thread / 4;  // rows of this lane: this one, and 32 further on
  const typename Finish::Row rows[2] = {finish.FindRow(first_row + mine),
                                        finish.FindRow(first_row + mine + 32)};
#pragma clang loop unroll(disable)
  for (int column = 0; column < kColumns; column += kStaged) {
    WaitAt(StoreBarrier(group), 128);
#pragma unroll
    for (int j = 0; j < kColumns / 8; ++j) {  // registers cannot be indexed
      if (j / 4 != column / kStaged) continue;
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = thread / 32 * 16 + lane / 4 + half * 8;
        char* const piece = piece_at(row, j % 4 * 2 + lane % 4 / 2);
        *reinterpret_cast<Two*>(piece + lane % 2 * 8) =
            Two{d[j * 4 + half * 2], d[j * 4 + half * 2 + 1]};
      }
    }
    WaitAt(StoreBarrier(group), 128);
#pragma clang loop unroll(disable)
    for (int i = 0; i < 4; ++i) {
      const int piece = i % 2 * 4 + thread % 4, at = column + piece * 4;
      if (at >= kColumns) continue;
      finish.Store(*reinterpret_cast<const Four*>(piece_at(mine + i / 2 * 32, piece)),
                   i < 2 ? rows[0] : rows[1], first_column + at);
    }
  }
}

/// Lanes store 64 rows by vectors or elements, from a column of the tile on.
template <int kColumns, DataType kNarrow, class Finish, class Sum>
GRIDWISE_DEVICE void StoreByLanes(const Finish& finish, Stores stores, char* staging, int group,
                                  int first_row, Sum (&d)[kColumns / 2], int first_column = 0) {
  if (finish.Aligned(stores) == Stores::kVectors) [[likely]] {
    FinishRows<kColumns, kNarrow>(finish, first_row, d, first_column);
    StoreVectors<kColumns, kNarrow>(finish, first_row, d, first_column);
  } else {
    StoreElements<kColumns>(finish, staging, group, first_row, d, first_column);
  }
}

/// The same for rows whose sums have no terms. (With sums that are either zeros or products, the
/// assembler would serialize the products.)
template <int kColumns, DataType kNarrow, int kReps, class Finish>
GRIDWISE_DEVICE void StoreZeros(const Finish& finish, Stores stores, char* staging, int group,
                                int first_row) {
  const bool by_vectors = finish.args().tensors == 0 && finish.Aligned(stores) == Stores::kVectors;
#pragma clang loop unroll(disable)
  for (int rep = 0; rep < kReps; ++rep) {
    Element<SumType(kNarrow)> zeros[kColumns / 2] = {};
    if (by_vectors) {
      FinishSums(finish.args(), zeros);
      StoreVectors<kColumns, kNarrow>(finish, first_row + rep * 64, zeros, 0);
    } else {
      StoreElements<kColumns>(finish, staging, group, first_row + rep * 64, zeros);
    }
  }
}

}  // namespace gridwise::hopper
