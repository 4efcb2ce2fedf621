// SPDX-License-Identifier: MIT
#include "core/gemm/problem_io.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "core/conv/problem_io.h"
#include "core/gemm/validate.h"
#include "core/text/csv.h"
#include "core/text/csv_table.h"

namespace gridwise {
namespace {

absl::Status ReadOrder(const CsvRow& row, const char* column, std::int64_t rows,
                       std::int64_t columns, MatrixStrides& strides) {
  const absl::StatusOr<MatrixStrides> order = ParseOrder(row.Field(column), rows, columns);
  if (!order.ok())
    return row.Error(absl::StrCat("column ", column, ": ", order.status().message()));
  strides = *order;
  return absl::OkStatus();
}

absl::StatusOr<NamedGemm> ParseRow(const CsvRow& row) {
  NamedGemm named = {.name = row.Field("name"), .problem = {}, .note = ""};
  GemmProblem& p = named.problem;
  for (const auto& [column, value] :
       {std::pair("batch", &p.batch), {"M", &p.m}, {"N", &p.n}, {"K", &p.k}}) {
    if (absl::Status s = row.ReadInt(column, *value); !s.ok()) return s;
  }
  if (absl::Status s = ReadOrder(row, "a", p.m, p.k, p.a); !s.ok()) return s;
  if (absl::Status s = ReadOrder(row, "b", p.k, p.n, p.b); !s.ok()) return s;
  p.c = StridesOf(MatrixOrder::kRow, p.m, p.n);
  if (row.Has("c")) {
    if (absl::Status s = ReadOrder(row, "c", p.m, p.n, p.c); !s.ok()) return s;
  }
  if (row.Has("note")) named.note = row.Field("note");
  if (absl::Status s = Validate(p); !s.ok()) {
    return row.Error(absl::StrCat("problem \"", named.name, "\": ", s.message()));
  }
  return named;
}

/// "row", "col:72", or the strides.
std::string OrderToString(const MatrixStrides& strides, std::int64_t batch, std::int64_t rows,
                          std::int64_t columns) {
  for (const MatrixOrder order : kAllMatrixOrders) {
    const bool by_row = order == MatrixOrder::kRow;
    const std::int64_t pitch = by_row ? strides.row : strides.column;
    MatrixStrides like = StridesOf(order, rows, columns, pitch);
    if (batch == 1) like.batch = strides.batch;
    if (pitch < (by_row ? columns : rows) || strides != like) continue;
    const bool packed = pitch == (by_row ? columns : rows);
    return packed ? Name(order) : absl::StrCat(Name(order), ":", pitch);
  }
  return absl::StrFormat("[%d %d %d]", strides.batch, strides.row, strides.column);
}

}  // namespace

bool IsGemmSet(std::string_view csv) {
  const std::optional<std::vector<std::string>> header =
      SplitCsvLine(csv.substr(0, csv.find_first_of("\r\n")));
  return header && std::find(header->begin(), header->end(), "M") != header->end();
}

absl::StatusOr<MatrixStrides> ParseOrder(std::string_view text, std::int64_t rows,
                                         std::int64_t columns) {
  const std::pair<std::string_view, std::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits(':', 1));
  for (const MatrixOrder order : kAllMatrixOrders) {
    if (parts.first != Name(order)) continue;
    const std::int64_t line = order == MatrixOrder::kRow ? columns : rows;
    std::int64_t pitch = line;
    const bool is_number = parts.second.empty() || absl::SimpleAtoi(parts.second, &pitch);
    if (is_number && pitch >= line && pitch <= kMaxGemmElements) {
      return StridesOf(order, rows, columns, pitch);
    }
    return absl::InvalidArgumentError(absl::StrFormat(
        "'%s' has lines of %d elements; after the colon must be an integer of at least that", text,
        line));
  }
  return absl::InvalidArgumentError(absl::StrFormat(
      "'%s' is no order; must be row or col, or with elements from line to line as in row:72",
      text));
}

absl::StatusOr<std::vector<NamedGemm>> ParseGemms(std::string_view csv, std::string_view source) {
  std::vector<NamedGemm> problems;
  absl::Status status = ForEachCsvRow(csv, source, {"name", "batch", "M", "N", "K", "a", "b"},
                                      {"c", "note"}, [&](const CsvRow& row) {
                                        absl::StatusOr<NamedGemm> problem = ParseRow(row);
                                        if (!problem.ok()) return problem.status();
                                        problems.push_back(*std::move(problem));
                                        return absl::OkStatus();
                                      });
  if (!status.ok()) return status;
  return problems;
}

std::string ToString(const GemmProblem& p) {
  return absl::StrFormat(
      "gemm %s%s batch %d m %d n %d k %d a %s b %s c %s%s", Name(p.type),
      p.output_type() == StoredType(p.type) ? "" : absl::StrCat("->", Name(p.output_type())),
      p.batch, p.m, p.n, p.k, OrderToString(p.a, p.batch, p.m, p.k),
      OrderToString(p.b, p.batch, p.k, p.n), OrderToString(p.c, p.batch, p.m, p.n),
      ToString(p.epilogue));
}

}  // namespace gridwise
