// SPDX-License-Identifier: MIT
#include "core/conv/problem_io.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/base/parse_type.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/conv/validate.h"
#include "core/text/csv.h"
#include "core/text/csv_table.h"

namespace gridwise {
namespace {

/// Columns that hold one integer of the whole problem.
struct CountColumn {
  const char* name;
  int64_t ConvProblem::* member;
};
constexpr CountColumn kCountColumns[] = {{"G", &ConvProblem::groups},
                                         {"N", &ConvProblem::batch},
                                         {"K", &ConvProblem::k},
                                         {"C", &ConvProblem::c}};

/// Columns that hold one integer of each axis.
struct AxisColumns {
  const char* names[3];  // d, h, w
  int64_t Dim::* member;
};
constexpr AxisColumns kAxisColumns[] = {
    {{"Z", "Y", "X"}, &Dim::filter},
    {{"Di", "Hi", "Wi"}, &Dim::in},
    {{"stride_d", "stride_h", "stride_w"}, &Dim::stride},
    {{"dil_d", "dil_h", "dil_w"}, &Dim::dilation},
    {{"pad_d", "pad_h", "pad_w"}, &Dim::pad_begin},
};
constexpr AxisColumns kPadEndColumns = {{"pad_end_d", "pad_end_h", "pad_end_w"}, &Dim::pad_end};

std::vector<std::string> RequiredColumns() {
  std::vector<std::string> names = {"name", "ndim", "directions"};
  for (const CountColumn& column : kCountColumns) names.push_back(column.name);
  for (const AxisColumns& axes : kAxisColumns) {
    names.insert(names.end(), std::begin(axes.names), std::end(axes.names));
  }
  return names;
}

std::vector<std::string> OptionalColumns() {
  std::vector<std::string> names = {"type", "out_type", "layout", "weight_layout", "count", "note"};
  names.insert(names.end(), std::begin(kPadEndColumns.names), std::end(kPadEndColumns.names));
  return names;
}

absl::Status ReadGeometry(const CsvRow& row, ConvProblem& problem) {
  int64_t rank = 0;
  if (absl::Status s = row.ReadInt("ndim", rank); !s.ok()) return s;
  problem.rank = static_cast<int>(std::clamp<int64_t>(rank, INT32_MIN, INT32_MAX));
  for (const CountColumn& column : kCountColumns) {
    if (absl::Status s = row.ReadInt(column.name, problem.*column.member); !s.ok()) return s;
  }
  for (size_t axis = 0; axis < 3; ++axis) {
    Dim& dim = problem.dims[axis];
    for (const AxisColumns& axes : kAxisColumns) {
      if (absl::Status s = row.ReadInt(axes.names[axis], dim.*axes.member); !s.ok()) return s;
    }
    dim.pad_end = dim.pad_begin;
    if (!row.Has(kPadEndColumns.names[axis])) continue;
    if (absl::Status s = row.ReadInt(kPadEndColumns.names[axis], dim.pad_end); !s.ok()) return s;
  }
  return absl::OkStatus();
}

/// Reads the name of one of `all` from a column, if the table has it and the field is not empty.
template <class Enum, size_t kSize>
absl::Status ReadName(const CsvRow& row, const char* column, const Enum (&all)[kSize],
                      std::optional<Enum>& value) {
  if (!row.Has(column) || row.Field(column).empty()) return absl::OkStatus();
  const auto found = std::ranges::find(all, row.Field(column),
                                       [](Enum known) { return std::string(Name(known)); });
  if (found == std::end(all)) {
    const auto append = [](std::string* out, Enum known) { out->append(Name(known)); };
    return row.Error(absl::StrFormat("column %s is \"%s\"; must be one of %s, or empty", column,
                                     row.Field(column), absl::StrJoin(all, ", ", append)));
  }
  value = *found;
  return absl::OkStatus();
}

/// Reads types and layouts.
absl::Status ReadVariant(const CsvRow& row, ConvProblem& problem) {
  std::optional<DataType> type;
  std::optional<Layout> layout;
  std::optional<WeightLayout> weight_layout;
  absl::Status status = ReadName(row, "type", kAllDataTypes, type);
  status.Update(ReadName(row, "out_type", kAllDataTypes, problem.out_type));
  status.Update(ReadName(row, "layout", kAllLayouts, layout));
  status.Update(ReadName(row, "weight_layout", kAllWeightLayouts, weight_layout));
  problem.type = type.value_or(problem.type);
  problem.layout = layout.value_or(problem.layout);
  problem.weight_layout = weight_layout.value_or(problem.weight_layout);
  return status;
}

absl::Status ReadCount(const CsvRow& row, NamedProblem& result) {
  if (!row.Has("count") || row.Field("count").empty()) return absl::OkStatus();
  if (absl::Status s = row.ReadInt("count", result.count); !s.ok()) return s;
  if (result.count >= 1) return absl::OkStatus();
  return row.Error(absl::StrFormat("column count is %d; must be >= 1", result.count));
}

absl::StatusOr<NamedProblem> ParseRow(const CsvRow& row) {
  NamedProblem result;
  result.name = row.Field("name");
  if (absl::Status s = ReadGeometry(row, result.problem); !s.ok()) return s;
  if (absl::Status s = ReadVariant(row, result.problem); !s.ok()) return s;
  if (absl::Status s = ReadCount(row, result); !s.ok()) return s;
  const std::string& directions = row.Field("directions");
  for (std::string_view name : absl::StrSplit(directions, ' ', absl::SkipEmpty())) {
    const std::optional<Direction> direction = ParseDirection(name);
    if (!direction) {
      return row.Error(absl::StrFormat(
          "column directions is \"%s\"; must list fwd, bwd_data or bwd_weight, not \"%s\"",
          directions, name));
    }
    result.directions.push_back(*direction);
  }
  if (result.directions.empty()) {
    return row.Error("column directions is \"\"; must list fwd, bwd_data or bwd_weight");
  }
  if (row.Has("note")) result.note = row.Field("note");
  if (absl::Status s = Validate(result.problem); !s.ok()) {
    return row.Error(absl::StrCat("problem \"", result.name, "\": ", s.message()));
  }
  return result;
}

/// A column that is printed where a problem differs from its default.
struct PrintedColumn {
  const char* name;
  std::string (*text)(const NamedProblem&);
  bool (*differs)(const NamedProblem&);
};
constexpr PrintedColumn kPrintedColumns[] = {
    {"type", [](const NamedProblem& named) { return std::string(Name(named.problem.type)); },
     [](const NamedProblem& named) { return named.problem.type != ConvProblem{}.type; }},
    {"out_type",
     [](const NamedProblem& named) {
       const std::optional<DataType> type = named.problem.out_type;
       return type ? std::string(Name(*type)) : std::string();
     },
     [](const NamedProblem& named) { return named.problem.out_type.has_value(); }},
    {"layout", [](const NamedProblem& named) { return std::string(Name(named.problem.layout)); },
     [](const NamedProblem& named) { return named.problem.layout != ConvProblem{}.layout; }},
    {"weight_layout",
     [](const NamedProblem& named) { return std::string(Name(named.problem.weight_layout)); },
     [](const NamedProblem& named) {
       return named.problem.weight_layout != ConvProblem{}.weight_layout;
     }},
    {"count", [](const NamedProblem& named) { return absl::StrCat(named.count); },
     [](const NamedProblem& named) { return named.count != 1; }},
    {"note", [](const NamedProblem& named) { return named.note; },
     [](const NamedProblem& named) { return !named.note.empty(); }}};

std::vector<std::string> PrintedFields(const NamedProblem& named,
                                       std::span<const PrintedColumn> optional) {
  const ConvProblem& problem = named.problem;
  std::vector<std::string> fields = {named.name, absl::StrCat(problem.rank)};
  for (const CountColumn& column : kCountColumns) {
    fields.push_back(absl::StrCat(problem.*column.member));
  }
  const auto add_axes = [&](const AxisColumns& axes) {
    for (const Dim& dim : problem.dims) fields.push_back(absl::StrCat(dim.*axes.member));
  };
  for (const AxisColumns& axes : kAxisColumns) add_axes(axes);
  add_axes(kPadEndColumns);
  fields.push_back(absl::StrJoin(named.directions, " ", [](std::string* out, Direction direction) {
    out->append(Name(direction));
  }));
  for (const PrintedColumn& column : optional) fields.push_back(column.text(named));
  return fields;
}

std::string FormatSizes(const ConvProblem& problem, int64_t (*size)(const Dim&)) {
  std::string text;
  for (size_t axis = 3 - static_cast<size_t>(std::clamp(problem.rank, 1, 3)); axis < 3; ++axis) {
    absl::StrAppend(&text, text.empty() ? "" : "x", size(problem.dims[axis]));
  }
  return text;
}

// Parsers of parts of what ToString(ConvProblem) prints; they return whether the words are valid.

/// "fwd", "i8->f32".
bool ReadTypes(std::string_view direction, std::string_view types, ConvProblem& problem) {
  const std::vector<std::string_view> names = absl::StrSplit(types, "->");
  const std::optional<Direction> parsed = ParseDirection(direction);
  const std::optional<DataType> type = ParseDataType(names[0]);
  if (!parsed || !type || names.size() > 2) return false;
  problem.direction = *parsed;
  problem.type = *type;
  if (names.size() == 1) problem.out_type = StoredType(*type);
  if (names.size() == 2) problem.out_type = ParseDataType(names[1]);
  if (problem.out_type == ConvProblem{.type = *type}.output_type()) problem.out_type.reset();
  return true;
}

/// "g1", "n16", "c128", "k256".
bool ReadCounts(std::span<const std::string_view> words, ConvProblem& problem) {
  int64_t* const counts[] = {&problem.groups, &problem.batch, &problem.c, &problem.k};
  for (size_t i = 0; i < std::size(counts); ++i) {
    const bool is_it = !words[i].empty() && words[i].front() == "gnck"[i];
    if (!is_it || !absl::SimpleAtoi(words[i].substr(1), counts[i])) return false;
  }
  return problem.groups > 0;
}

/// "40x175" of every axis, outermost first.
bool ReadAxis(std::string_view text, int64_t Dim::* member, ConvProblem& problem) {
  const absl::StatusOr<std::vector<int64_t>> sizes = ParseSizes(text);
  if (!sizes.ok()) return false;
  problem.rank = static_cast<int>(sizes->size());
  const size_t first = 3 - sizes->size();
  for (size_t i = 0; i < sizes->size(); ++i) problem.dims[first + i].*member = (*sizes)[i];
  return true;
}

/// "in", "40x175", "filter", "5x5", ..., "pad", "0x1:1x1".
bool ReadAxes(std::span<const std::string_view> words, ConvProblem& problem) {
  constexpr std::pair<std::string_view, int64_t Dim::*> kAxes[] = {{"in", &Dim::in},
                                                                   {"filter", &Dim::filter},
                                                                   {"stride", &Dim::stride},
                                                                   {"dilation", &Dim::dilation},
                                                                   {"pad", &Dim::pad_begin}};
  for (size_t i = 0; i < std::size(kAxes); ++i) {
    const std::vector<std::string_view> values = absl::StrSplit(words[2 * i + 1], ':');
    if (words[2 * i] != kAxes[i].first || !ReadAxis(values[0], kAxes[i].second, problem)) {
      return false;
    }
    if (i == 4 && !ReadAxis(values.back(), &Dim::pad_end, problem)) return false;
  }
  return std::ranges::all_of(problem.dims, [](const Dim& dim) { return dim.stride > 0; });
}

bool ReadLayouts(std::span<const std::string_view> words, ConvProblem& problem) {
  for (const std::string_view word : words) {
    const auto layout =
        std::ranges::find(kAllLayouts, word, [](Layout known) { return Name(known); });
    const auto weights =
        std::ranges::find(kAllWeightLayouts, word, [](WeightLayout known) { return Name(known); });
    if (layout != std::end(kAllLayouts)) {
      problem.layout = *layout;
    } else if (weights != std::end(kAllWeightLayouts)) {
      problem.weight_layout = *weights;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

absl::StatusOr<std::vector<NamedProblem>> ParseProblems(std::string_view csv,
                                                        std::string_view source) {
  std::vector<NamedProblem> problems;
  absl::Status status =
      ForEachCsvRow(csv, source, RequiredColumns(), OptionalColumns(), [&](const CsvRow& row) {
        absl::StatusOr<NamedProblem> problem = ParseRow(row);
        if (!problem.ok()) return problem.status();
        problems.push_back(*std::move(problem));
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  return problems;
}

std::string PrintProblems(const std::vector<NamedProblem>& problems) {
  std::vector<PrintedColumn> optional;
  for (const PrintedColumn& column : kPrintedColumns) {
    if (std::ranges::any_of(problems, column.differs)) optional.push_back(column);
  }
  std::vector<std::string> header = {"name", "ndim"};
  for (const CountColumn& column : kCountColumns) header.push_back(column.name);
  for (const AxisColumns& axes : kAxisColumns) {
    header.insert(header.end(), std::begin(axes.names), std::end(axes.names));
  }
  header.insert(header.end(), std::begin(kPadEndColumns.names), std::end(kPadEndColumns.names));
  header.push_back("directions");
  for (const PrintedColumn& column : optional) header.push_back(column.name);
  std::string text = absl::StrCat(JoinCsvLine(header), "\n");
  for (const NamedProblem& named : problems) {
    absl::StrAppend(&text, JoinCsvLine(PrintedFields(named, optional)), "\n");
  }
  return text;
}

absl::StatusOr<std::vector<NamedProblem>> ReadProblems(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadText(path, "problem set");
  if (!text.ok()) return text.status();
  return ParseProblems(*text, path);
}

absl::StatusOr<ConvProblem> ParseProblem(std::string_view text) {
  ConvProblem problem;
  const std::vector<std::string_view> words = absl::StrSplit(text, ' ');
  const bool read = words.size() >= 18 && ReadTypes(words[0], words[1], problem) &&
                    ReadCounts(std::span(words).subspan(2, 4), problem) &&
                    ReadAxes(std::span(words).subspan(6, 10), problem) &&
                    ReadLayouts(std::span(words).subspan(18), problem);
  if (!read || ToString(problem) != text) {  // compares derived values too
    return absl::InvalidArgumentError(
        absl::StrFormat("\"%s\" is not a problem as it is printed, without an epilogue", text));
  }
  if (absl::Status s = Validate(problem); !s.ok()) return s;
  return problem;
}

absl::StatusOr<std::vector<int64_t>> ParseSizes(std::string_view text) {
  std::vector<int64_t> sizes;
  for (std::string_view part : absl::StrSplit(text, 'x')) {
    int64_t size = 0;
    if (!absl::SimpleAtoi(part, &size)) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "sizes are \"%s\"; must be 1 to 3 integers joined by x, such as 13x13", text));
    }
    sizes.push_back(size);
  }
  if (sizes.size() > 3) {
    return absl::InvalidArgumentError(
        absl::StrFormat("sizes are \"%s\"; must be at most 3 integers joined by x", text));
  }
  return sizes;
}

std::string ToString(const Epilogue& epilogue) {
  std::string text;
  if (epilogue.alpha != 1) absl::StrAppend(&text, " alpha ", epilogue.alpha);
  for (int i = 0; i < epilogue.tensors; ++i) {
    const EpilogueTensor& tensor = epilogue.d[static_cast<size_t>(i)];
    absl::StrAppend(&text, tensor.op == EpilogueTensor::Op::kAdd ? " add " : " mul ", tensor.scale,
                    " ", Name(tensor.type), " [", absl::StrJoin(tensor.stride, " "), "]");
  }
  if (epilogue.unary != Unary::kNone) {
    absl::StrAppend(&text, " ", Name(epilogue.unary), " ", epilogue.unary_parameter);
  }
  if (epilogue.clamps()) {
    absl::StrAppend(&text, " clamp [", epilogue.low, ", ", epilogue.high, "]");
  }
  return text;
}

std::string ToString(const ConvProblem& p) {
  const std::string begin = FormatSizes(p, [](const Dim& dim) { return dim.pad_begin; });
  const std::string end = FormatSizes(p, [](const Dim& dim) { return dim.pad_end; });
  std::string text = absl::StrFormat(
      "%s %s%s g%d n%d c%d k%d in %s filter %s stride %s dilation %s pad %s out %s",
      Name(p.direction), Name(p.type),
      p.output_type() == StoredType(p.type) ? "" : absl::StrCat("->", Name(p.output_type())),
      p.groups, p.batch, p.c, p.k, FormatSizes(p, [](const Dim& dim) { return dim.in; }),
      FormatSizes(p, [](const Dim& dim) { return dim.filter; }),
      FormatSizes(p, [](const Dim& dim) { return dim.stride; }),
      FormatSizes(p, [](const Dim& dim) { return dim.dilation; }),
      begin == end ? begin : absl::StrCat(begin, ":", end),
      FormatSizes(p, [](const Dim& dim) { return dim.out(); }));
  if (p.layout != ConvProblem{}.layout) absl::StrAppend(&text, " ", Name(p.layout));
  if (p.weight_layout != ConvProblem{}.weight_layout) {
    absl::StrAppend(&text, " ", Name(p.weight_layout));
  }
  for (const size_t i : {0u, 1u}) {
    if (!p.operand_sums[i].adds) continue;
    absl::StrAppend(&text, i == 0 ? " a = a * " : " b = b * ", p.operand_sums[i].scale,
                    i == 0 ? " + a1" : " + b1");
  }
  absl::StrAppend(&text, ToString(p.epilogue));
  return text;
}

}  // namespace gridwise
