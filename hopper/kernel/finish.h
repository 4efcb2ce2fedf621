// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/hopper.h"
#include "core/launch/combine.h"
#include "hopper/base/args.h"

/// From sums in registers to the values of the output: the epilogue.

namespace gridwise::hopper {

/// Clamps sums to the bounds; NaN stays NaN.
template <int kSums>
GRIDWISE_DEVICE void ClampSums(const EpilogueArgs& args, float (&d)[kSums]) {
#pragma unroll
  for (float& v : d) v = MinOrNan(MaxOrNan(v, args.low), args.high);
}

/// The part of an epilogue that needs no tensors.
template <int kSums>
GRIDWISE_DEVICE void FinishSums(const EpilogueArgs& args, float (&d)[kSums]) {
  if (args.alpha == 1 && !args.clamps) [[likely]]
    return;
#pragma unroll
  for (float& v : d) v *= args.alpha;
  if (args.clamps) ClampSums(args, d);
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
///
/// kTensors: tensors of the epilogue may be added to sums in registers, see AddsVectors of
/// hopper/base/plan.h; otherwise only where sums are stored as elements.
template <class OutputMap, class Narrow, bool kTensors = false>
class Finisher {
 public:
  using Row = OutputMap::Row;
  /// Whether 64 columns may be of several groups, or blocks of channels, with gaps between them.
  static constexpr bool kHasGroups = requires { requires OutputMap::kHasGroups; };
  /// Columns that are adjacent in runs of kRun, from multiples of it on, of which CountOfRun exist;
  /// 0: not known.
  static constexpr int kRun = [] {
    if constexpr (requires { OutputMap::kRun; }) return OutputMap::kRun;
    return 0;
  }();
  static constexpr bool kAddsTensors = kTensors && sizeof(Narrow) == 2;

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
  GRIDWISE_DEVICE int CountOfRun(int column) const { return output_.CountOfRun(column); }
  GRIDWISE_DEVICE long Column(int column) const { return output_.Column(args_.strides, column); }
  /// How the sums are stored: by elements where the output or a tensor is not aligned to vectors.
  GRIDWISE_DEVICE Stores Aligned(Stores stores) const {
    unsigned long all = reinterpret_cast<unsigned long>(out_);
    if constexpr (kAddsTensors) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        if (i < args_.tensors) all |= reinterpret_cast<unsigned long>(args_.tensor[i].data);
      }
    }
    return all % 16 == 0 ? stores : Stores::kElements;
  }
  /// Address of the row in the output; null if the output does not have it.
  GRIDWISE_DEVICE char* RowOf(const Row& row) const {
    return row.is_there ? out_ + output_.Bytes(args_.strides, row) : nullptr;
  }
  /// The same in a tensor of the epilogue; of another row if there is none.
  GRIDWISE_DEVICE const char* RowOf(const EpilogueTensorArgs& tensor, const Row& row) const {
    return static_cast<const char*>(tensor.data) +
           (row.is_there ? output_.Bytes(tensor.strides, row) : 0);
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

}  // namespace gridwise::hopper
