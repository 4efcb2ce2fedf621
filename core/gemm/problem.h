// SPDX-License-Identifier: MIT
/// The batched matrix multiplication: the user's request. Plain values.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/types.h"
#include "core/conv/epilogue.h"
#include "core/conv/layouts.h"

namespace gridwise {

/// Elements from one matrix, row or column to the next. 0 repeats an operand along that axis.
struct MatrixStrides {
  std::int64_t batch = 0, row = 0, column = 0;

  constexpr bool operator==(const MatrixStrides&) const = default;
  constexpr MatrixStrides Transposed() const { return {batch, column, row}; }
};

/// Memory order of a matrix. kRow: consecutive elements of a row are adjacent; kColumn: of a
/// column.
enum class MatrixOrder : unsigned char { kRow, kColumn };

inline constexpr MatrixOrder kAllMatrixOrders[] = {MatrixOrder::kRow, MatrixOrder::kColumn};

/// "row" or "col".
constexpr const char* Name(MatrixOrder order) { return order == MatrixOrder::kRow ? "row" : "col"; }

/// Consecutive matrices of `rows` x `columns`. Lines are rows in row-major order, and columns in
/// column-major order. A line is `pitch` elements from the next; 0: its length.
constexpr MatrixStrides StridesOf(MatrixOrder order, std::int64_t rows, std::int64_t columns,
                                  std::int64_t pitch = 0) {
  const bool by_row = order == MatrixOrder::kRow;
  if (pitch == 0) pitch = by_row ? columns : rows;
  const std::int64_t batch = pitch * (by_row ? rows : columns);
  return by_row ? MatrixStrides{batch, pitch, 1} : MatrixStrides{batch, 1, pitch};
}

/// Strides of an epilogue's tensor (EpilogueTensor::stride) with this layout for the elements of C.
constexpr PerAxis PerAxisStrides(const MatrixStrides& strides) {
  return {0, 0, 0, strides.row, strides.batch, strides.column};
}
constexpr MatrixStrides StridesOf(const PerAxis& tensor) {
  return {.batch = tensor[4], .row = tensor[3], .column = tensor[5]};
}

/// A batched matrix multiplication with an epilogue:
///
///   C[b][i][j] = epilogue(sum over t < k of A[b][i][t] * B[b][t][j], D0[b][i][j], D1[b][i][j])
///
/// A is m x k, B is k x n, and C and the tensors of the epilogue are m x n. Validate() states the
/// rules.
struct GemmProblem {
  DataType type = DataType::kF16;                   ///< of A and B
  std::optional<DataType> out_type = std::nullopt;  ///< of C, see output_type()
  std::int64_t batch = 1, m = 1, n = 1, k = 1;
  MatrixStrides a = {}, b = {}, c = {};
  Epilogue epilogue = {};

  /// As ConvProblem::output_type().
  constexpr DataType output_type() const {
    return out_type.value_or(SizeOf(type) == 1 ? SumType(type) : StoredType(type));
  }

  /// Elements from a tensor's first to its last, of all matrices.
  constexpr std::int64_t a_elements() const { return Elements(a, m, k); }
  constexpr std::int64_t b_elements() const { return Elements(b, k, n); }
  constexpr std::int64_t out_elements() const { return Elements(c, m, n); }
  /// Whether C has no gaps between its first and its last element.
  constexpr bool out_is_packed() const { return out_elements() == batch * m * n; }

  /// Number of products that an element of C sums.
  constexpr std::int64_t reduction_length() const { return k; }

  constexpr double Flops() const {
    return 2.0 * static_cast<double>(batch) * static_cast<double>(m) * static_cast<double>(n) *
           static_cast<double>(k);
  }

  /// The same sums as C^T = B^T A^T.
  constexpr GemmProblem Transposed() const {
    GemmProblem transposed = *this;
    transposed.m = n;
    transposed.n = m;
    transposed.a = b.Transposed();
    transposed.b = a.Transposed();
    transposed.c = c.Transposed();
    for (EpilogueTensor& d : transposed.epilogue.d) {
      d.stride = PerAxisStrides(StridesOf(d.stride).Transposed());
    }
    return transposed;
  }

  constexpr bool operator==(const GemmProblem&) const = default;

  /// Elements from the first to the last of `batch` matrices.
  constexpr std::int64_t Elements(const MatrixStrides& strides, std::int64_t rows,
                                  std::int64_t columns) const {
    return (batch - 1) * strides.batch + (rows - 1) * strides.row + (columns - 1) * strides.column +
           1;
  }
};

/// Elements from the first of the epilogue's tensor `index` to its last.
constexpr std::int64_t EpilogueElements(const GemmProblem& problem, int index) {
  const EpilogueTensor& tensor = problem.epilogue.d[static_cast<std::size_t>(index)];
  return problem.Elements(StridesOf(tensor.stride), problem.m, problem.n);
}

/// Returns a packed problem.
constexpr GemmProblem MakeGemm(DataType type, std::int64_t batch, std::int64_t m, std::int64_t n,
                               std::int64_t k, MatrixOrder a = MatrixOrder::kRow,
                               MatrixOrder b = MatrixOrder::kRow,
                               MatrixOrder c = MatrixOrder::kRow) {
  return {.type = type,
          .batch = batch,
          .m = m,
          .n = n,
          .k = k,
          .a = StridesOf(a, m, k),
          .b = StridesOf(b, k, n),
          .c = StridesOf(c, m, n)};
}

static_assert(MakeGemm(DataType::kF16, 2, 3, 4, 5).Transposed().Transposed() ==
              MakeGemm(DataType::kF16, 2, 3, 4, 5));
static_assert(MakeGemm(DataType::kF16, 1, 3, 4, 5).Transposed() ==
                  MakeGemm(DataType::kF16, 1, 4, 3, 5, MatrixOrder::kColumn, MatrixOrder::kColumn,
                           MatrixOrder::kColumn),
              "transposed row-major matrices are column-major");

}  // namespace gridwise
