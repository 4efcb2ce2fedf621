// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/hopper.h"
#include "core/launch/combine.h"
#include "hopper/base/args.h"
#include "hopper/kernel/multiply.h"

namespace gridwise::hopper {

/// A warp puts its 16 rows of sums into shared memory, in the operands' type: kColumns each, 64
/// with the 128-byte swizzle. `to` is the first of 16 rows.
template <int kColumns, DataType kType>
GRIDWISE_DEVICE void StageRows(SharedAddress to, const float* d) {
  const int lane = ThreadId() % 32, r = lane % 16;
#pragma unroll
  for (int j = 0; j < kColumns / 8; j += 2) {
    const float* const v = d + j * 4;
    const int piece = j + lane / 16;  // of 16 bytes
    const SharedAddress at =
        to + r * kColumns * 2 + (kColumns == 64 ? piece ^ (r & 7) : piece) * 16;
    if (j + 1 < kColumns / 8) {
      StoreMatrix4(at, Pack<kType>(v[0], v[1]), Pack<kType>(v[2], v[3]), Pack<kType>(v[4], v[5]),
                   Pack<kType>(v[6], v[7]));
    } else {
      StoreMatrix2(at, Pack<kType>(v[0], v[1]), Pack<kType>(v[2], v[3]));
    }
  }
}

/// TMA stores 64 rows in the operands' type, from `row` of the tensor on, by epilogue tiles:
/// columns that pass through shared memory. Called by a whole warpgroup. Each warp stores its own
/// 16 rows, so warps need not meet.
template <Config kC>
GRIDWISE_DEVICE void StoreByBoxes(const TensorMap& out, SharedAddress staging, int row, int column,
                                  int channel_group, const float (&d)[kC.columns / 2]) {
  const int lane = ThreadId() % 32, first = ThreadId() % 128 / 32 * 16;
#pragma unroll
  for (int tile = 0; tile < kC.columns / kC.epilogue_columns; ++tile) {
    const SharedAddress buffer =
        staging + tile % kC.buffers() * kC.buffer_bytes() + first * kC.epilogue_columns * 2;
    if (lane == 0) WaitStoresRead<kC.buffers() - 1>();
    SyncWarp();
    StageRows<kC.epilogue_columns, kC.type>(buffer, d + tile * (kC.epilogue_columns / 2));
    FenceAsyncProxy();
    SyncWarp();
    if (lane == 0) {
      StoreBox(out, buffer, column + tile * kC.epilogue_columns, channel_group, row + first);
      CommitStores();
    }
  }
}

/// The part of an epilogue that TMA boxes can do: without tensors.
template <int kSums>
GRIDWISE_DEVICE void FinishSums(const EpilogueArgs& args, float (&d)[kSums]) {
  if (args.alpha == 1 && !args.clamps) [[likely]]
    return;
#pragma unroll
  for (float& v : d) v = Clamp(args, v * args.alpha);
}
/// The same for i8, whose sums become the words of the output, f32 or i32.
template <int kSums>
GRIDWISE_DEVICE void FinishSums(const EpilogueArgs& args, int (&d)[kSums]) {
  if (args.out_type == static_cast<int>(DataType::kI32)) return;
#pragma unroll
  for (int& v : d) {
    v = __builtin_bit_cast(int, Clamp(args, static_cast<float>(v) * args.alpha));
  }
}

/// For i8 that was copied as f16: the words of an i32 output.
template <int kSums>
GRIDWISE_DEVICE void MakeIntegers(const EpilogueArgs& args, float (&d)[kSums]) {
  if (args.out_type != static_cast<int>(DataType::kI32)) [[likely]]
    return;
#pragma unroll
  for (float& v : d) v = __builtin_bit_cast(float, static_cast<int>(v));
}

/// From sums to the values of the output. `OutputMap` knows where rows and columns of a tile are in
/// tensors of the output's shape:
///
///   Row FindRow(row)              Row::is_there, and what else Bytes needs
///   long Bytes(strides, Row)      of a row that is there
///   int Count(column)             adjacent columns from there on
///   long Column(strides, column)  bytes
///   bool Has(Row, column)         of a column that Count counts
///   float Mend(sum, Row, column)  a sum that is NaN, which may be the kernel's doing
template <class OutputMap, class Narrow>
class Finisher {
 public:
  using Row = OutputMap::Row;
  /// Whether the columns of a row belong to several groups.
  static constexpr bool kHasGroups = requires { OutputMap::kHasGroups; };

  GRIDWISE_DEVICE Finisher(const EpilogueArgs& args, const OutputMap& output, int split)
      : args_(args),
        output_(output),
        out_(static_cast<char*>(args.out) + split * args.split_bytes) {}

  GRIDWISE_DEVICE const EpilogueArgs& args() const { return args_; }
  /// Whether elements of the output have 4 bytes: f32, or i32 for i8.
  GRIDWISE_DEVICE bool is_wide() const {
    return sizeof(Narrow) == 1 || args_.out_type == static_cast<int>(DataType::kF32) || is_i32();
  }
  GRIDWISE_DEVICE const OutputMap& output() const { return output_; }
  GRIDWISE_DEVICE Row FindRow(int row) const { return output_.FindRow(row); }
  GRIDWISE_DEVICE int Count(int column) const { return output_.Count(column); }
  GRIDWISE_DEVICE long Column(int column) const { return output_.Column(args_.strides, column); }
  /// Whether the output is aligned to four elements.
  GRIDWISE_DEVICE bool is_aligned() const {
    return reinterpret_cast<unsigned long>(out_) % 16 == 0;
  }
  /// Address of the row in the output; null if the output does not have it.
  GRIDWISE_DEVICE char* RowOf(const Row& row) const {
    return row.is_there ? out_ + output_.Bytes(args_.strides, row) : nullptr;
  }

  /// Stores the existing columns of a row from `column` of the tile on. Sums of an i32 output are
  /// its words.
  template <class Sum, int kCount>
  GRIDWISE_DEVICE void Store(Vec<Sum, kCount> sums, const Row& row, int column) const {
    const int count = Count(column / 64 * 64);
    if (!row.is_there || column % 64 >= count) return;
    bool has[kCount], all = true;
#pragma unroll
    for (int e = 0; e < kCount; ++e) {
      has[e] = column % 64 + e < count && output_.Has(row, column + e);
      all &= has[e];
    }
    if (is_i32()) {
      return StoreAs<int>(__builtin_bit_cast(Vec<int, kCount>, sums), row, column, has, all);
    }
    auto v = __builtin_convertvector(sums, Vec<float, kCount>);
#pragma unroll
    for (int e = 0; e < kCount; ++e) {
      if (!has[e]) continue;
      if (v[e] != v[e]) v[e] = output_.Mend(v[e], row, column + e);
      v[e] = Clamp(args_, CombineTensors(v[e] * args_.alpha, row, column + e));
    }
    if (is_wide()) {
      StoreAs<float>(v, row, column, has, all);
    } else {
      StoreAs<Narrow>(v, row, column, has, all);
    }
  }

 private:
  GRIDWISE_DEVICE bool is_i32() const { return args_.out_type == static_cast<int>(DataType::kI32); }

  template <class Out, class In, int kCount>
  GRIDWISE_DEVICE void StoreAs(Vec<In, kCount> v, const Row& row, int column,
                               const bool (&has)[kCount], bool all) const {
    const auto values = __builtin_convertvector(v, Vec<Out, kCount>);
    char* const of_row = RowOf(row);
    char* const to = of_row + Column(column);
    const bool adjacent =
        Column(column + kCount - 1) - Column(column) == (kCount - 1) * long{sizeof(Out)};
    if (adjacent && !args_.adds && all &&
        reinterpret_cast<unsigned long>(to) % sizeof(values) == 0) {
      *reinterpret_cast<Vec<Out, kCount>*>(to) = values;
      return;
    }
#pragma unroll
    for (int e = 0; e < kCount; ++e) {
      if (!has[e]) continue;
      char* const at = of_row + Column(column + e);
      if (args_.adds) {
        AddTo(reinterpret_cast<float*>(at), v[e]);
      } else {
        *reinterpret_cast<Out*>(at) = values[e];
      }
    }
  }

  GRIDWISE_DEVICE float CombineTensors(float v, const Row& row, int column) const {
#pragma clang loop unroll(disable)
    for (int i = 0; i < args_.tensors; ++i) {
      const EpilogueTensorArgs& tensor = args_.tensor[i];
      const char* const data = static_cast<const char*>(tensor.data) +
                               output_.Bytes(tensor.strides, row) +
                               output_.Column(tensor.strides, column);
      v = Combine(tensor, v,
                  tensor.is_f32 ? *reinterpret_cast<const float*>(data)
                                : static_cast<float>(*reinterpret_cast<const Narrow*>(data)));
    }
    return v;
  }

  const EpilogueArgs& args_;
  const OutputMap& output_;
  char* const out_;
};

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

/// Where a lane's vectors of 64 columns of a row are, from `first` on: `mine` columns after
/// multiples of 8 or 16. In groups of a power of two of columns, this lane's part and the rest add
/// up.
template <class Finish>
class VectorColumns {
 public:
  GRIDWISE_DEVICE VectorColumns(const Finish& finish, int first, int mine)
      : finish_(finish),
        first_(Finish::kHasGroups ? Here(first) : first),
        mine_(Finish::kHasGroups ? Here(mine) : mine),
        count_(finish.Count(first)) {}

  GRIDWISE_DEVICE bool Has(int column) const {
    if constexpr (Finish::kHasGroups) {
      if (!finish_.output().Has({}, first_ + column + mine_)) return false;
    }
    return column + mine_ < count_;
  }
  /// Bytes from a row's first column to this lane's part, and from there to a vector's.
  GRIDWISE_DEVICE long AtMine(int bytes) const {
    return Finish::kHasGroups ? finish_.Column(mine_) - finish_.Column(0)
                              : finish_.Column(first_) + mine_ * bytes;
  }
  GRIDWISE_DEVICE long At(int column, int bytes) const {
    return Finish::kHasGroups ? finish_.Column(first_ + column) : column * bytes;
  }

 private:
  const Finish& finish_;
  int first_, mine_, count_;
};

/// Lanes store 64 rows from their registers, whole sectors of 32 bytes at a time, with address
/// arithmetic for only two rows per lane. For outputs without tensors whose columns are adjacent,
/// or adjacent in groups of a multiple of 4, and whose rows are aligned to as many. Called by whole
/// warps.
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
        const VectorColumns<Finish> columns(finish, first_column + first, q * 2);
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
        const VectorColumns<Finish> columns(finish, first_column + first, q * 4);
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

/// Lanes store 64 rows with any epilogue; 32 columns at a time pass through shared memory, 8 KB of
/// `staging`. Called by a whole warpgroup.
template <int kColumns, class Finish, class Sum>
GRIDWISE_DEVICE void StoreElements(const Finish& finish, char* staging, int group, int first_row,
                                   const Sum (&d)[kColumns / 2], int first_column = 0) {
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

/// Lanes store 64 rows by vectors or elements, from a column of the tile on.
template <int kColumns, DataType kNarrow, class Finish, class Sum>
GRIDWISE_DEVICE void StoreByLanes(const Finish& finish, Stores stores, char* staging, int group,
                                  int first_row, Sum (&d)[kColumns / 2], int first_column = 0) {
  if (stores == Stores::kVectors && finish.is_aligned()) [[likely]] {
    FinishSums(finish.args(), d);
    StoreVectors<kColumns, kNarrow>(finish, first_row, d, first_column);
  } else if constexpr (kColumns == 8) {
    StoreEight(finish, first_row, d, first_column);
  } else {
    StoreElements<kColumns>(finish, staging, group, first_row, d, first_column);
  }
}

/// StoreByLanes for rows whose sums have no terms. (With sums that are either zeros or products,
/// the assembler would serialize the products.)
template <int kColumns, DataType kNarrow, int kReps, class Finish>
GRIDWISE_DEVICE void StoreZeros(const Finish& finish, Stores stores, char* staging, int group,
                                int first_row) {
#pragma clang loop unroll(disable)
  for (int rep = 0; rep < kReps; ++rep) {
    Element<SumType(kNarrow)> zeros[kColumns / 2] = {};
    StoreByLanes<kColumns, kNarrow>(finish, stores, staging, group, first_row + rep * 64, zeros);
  }
}

}  // namespace gridwise::hopper
