// SPDX-License-Identifier: MIT
/// Reads sets of matrix multiplications from CSV files, and prints them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/gemm/problem.h"

namespace gridwise {

/// A row of a problem set.
struct NamedGemm {
  std::string name;
  GemmProblem problem;  ///< the type has its default: the user of the set chooses it
  std::string note;
};

/// Whether the first line of a CSV names the columns of matrix multiplications: "M" is one.
bool IsGemmSet(std::string_view csv);

/// Parses CSV text whose first line names the columns, in any order:
///
///   name  batch  M N K  a b, each "row" or "col", or with elements from line to line "row:PITCH"
///   and optionally  c, "row" or "col" likewise  note
///
/// Every problem is validated, and names must differ. Errors start with "<source>:<line>: " and
/// name the column and the value.
absl::StatusOr<std::vector<NamedGemm>> ParseGemms(std::string_view csv, std::string_view source);

/// The strides of packed matrices of `rows` x `columns` in an order with an optional pitch: "row",
/// "col", "row:72". The error says what is wrong.
absl::StatusOr<MatrixStrides> ParseOrder(std::string_view text, std::int64_t rows,
                                         std::int64_t columns);

/// One line: "gemm f16 batch 2 m 64 n 96 k 128 a row b col c row". A matrix in neither order prints
/// its strides: "a [4096 64 2]". An epilogue follows, as for convolutions.
std::string ToString(const GemmProblem& problem);

}  // namespace gridwise
