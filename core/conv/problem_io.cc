#include "core/conv/problem_io.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
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
#include "absl/strings/strip.h"
#include "core/base/csv.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/conv/validate.h"

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

using ColumnIndex = std::map<std::string, size_t, std::less<>>;

/// One line of the file with what is needed to read it and to speak about it.
struct Row {
  const ColumnIndex& columns;
  std::vector<std::string> fields;
  std::string where;  // "<source>:<line>: "

  bool Has(std::string_view column) const { return columns.contains(column); }
  const std::string& Field(std::string_view column) const {
    return fields[columns.find(column)->second];
  }
  absl::Status Error(std::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat(where, what));
  }
  absl::Status ReadInt(std::string_view column, int64_t& value) const {
    if (absl::SimpleAtoi(Field(column), &value)) return absl::OkStatus();
    return Error(
        absl::StrFormat("column %s is \"%s\"; must be a 64-bit integer", column, Field(column)));
  }
};

std::vector<std::string> RequiredColumns() {
  std::vector<std::string> names = {"name", "ndim", "directions"};
  for (const CountColumn& column : kCountColumns) names.push_back(column.name);
  for (const AxisColumns& axes : kAxisColumns) {
    names.insert(names.end(), std::begin(axes.names), std::end(axes.names));
  }
  return names;
}

absl::StatusOr<ColumnIndex> ParseHeader(const std::vector<std::string>& header,
                                        const std::string& where) {
  const std::vector<std::string> required = RequiredColumns();
  std::vector<std::string> known = required;
  known.insert(known.end(), std::begin(kPadEndColumns.names), std::end(kPadEndColumns.names));
  known.insert(known.end(), {"note", "out_type"});
  ColumnIndex columns;
  for (size_t i = 0; i < header.size(); ++i) {
    if (std::find(known.begin(), known.end(), header[i]) == known.end()) {
      return absl::InvalidArgumentError(absl::StrCat(where, "column ", i + 1, " is \"", header[i],
                                                     "\"; no such column is known"));
    }
    if (!columns.emplace(header[i], i).second) {
      return absl::InvalidArgumentError(
          absl::StrCat(where, "column ", header[i], " appears twice; must appear once"));
    }
  }
  for (const std::string& name : required) {
    if (!columns.contains(name)) {
      return absl::InvalidArgumentError(absl::StrCat(where, "column ", name,
                                                     " is missing; the first line must name ",
                                                     absl::StrJoin(required, ", ")));
    }
  }
  return columns;
}

absl::Status ReadGeometry(const Row& row, ConvProblem& problem) {
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

/// An empty field leaves the output's type to the operands'.
absl::Status ReadOutType(const Row& row, ConvProblem& problem) {
  if (!row.Has("out_type") || row.Field("out_type").empty()) return absl::OkStatus();
  problem.out_type = ParseDataType(row.Field("out_type"));
  if (problem.out_type) return absl::OkStatus();
  return row.Error(absl::StrFormat("column out_type is \"%s\"; must be the name of a type or empty",
                                   row.Field("out_type")));
}

absl::StatusOr<NamedProblem> ParseRow(const Row& row) {
  NamedProblem result;
  result.name = row.Field("name");
  if (result.name.empty()) return row.Error("column name is \"\"; must not be empty");
  if (absl::Status s = ReadGeometry(row, result.problem); !s.ok()) return s;
  if (absl::Status s = ReadOutType(row, result.problem); !s.ok()) return s;
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

std::string FormatSizes(const ConvProblem& problem, int64_t (*size)(const Dim&)) {
  std::string text;
  for (size_t axis = 3 - static_cast<size_t>(std::clamp(problem.rank, 1, 3)); axis < 3; ++axis) {
    absl::StrAppend(&text, text.empty() ? "" : "x", size(problem.dims[axis]));
  }
  return text;
}

}  // namespace

absl::StatusOr<std::vector<NamedProblem>> ParseProblems(std::string_view csv,
                                                        std::string_view source) {
  std::vector<NamedProblem> problems;
  std::optional<ColumnIndex> columns;
  std::map<std::string, int> line_of_name;
  int line_number = 0;
  for (std::string_view line : absl::StrSplit(csv, '\n')) {
    const std::string where = absl::StrFormat("%s:%d: ", source, ++line_number);
    line = absl::StripSuffix(line, "\r");
    if (line.empty()) continue;
    std::optional<std::vector<std::string>> fields = SplitCsvLine(line);
    if (!fields) {
      return absl::InvalidArgumentError(
          absl::StrCat(where, "a quoted field is not closed; must end on its line"));
    }
    if (!columns) {
      absl::StatusOr<ColumnIndex> header = ParseHeader(*fields, where);
      if (!header.ok()) return header.status();
      columns = *std::move(header);
      continue;
    }
    const Row row{.columns = *columns, .fields = *std::move(fields), .where = where};
    if (row.fields.size() != columns->size()) {
      return row.Error(absl::StrFormat("the line has %d fields; must have %d, as the header",
                                       row.fields.size(), columns->size()));
    }
    absl::StatusOr<NamedProblem> problem = ParseRow(row);
    if (!problem.ok()) return problem.status();
    const auto [first, is_new] = line_of_name.emplace(problem->name, line_number);
    if (!is_new) {
      return row.Error(absl::StrFormat("column name is \"%s\"; must differ from that of line %d",
                                       problem->name, first->second));
    }
    problems.push_back(*std::move(problem));
  }
  if (!columns)
    return absl::InvalidArgumentError(absl::StrCat(source, ": there is no header line"));
  return problems;
}

absl::StatusOr<std::vector<NamedProblem>> ReadProblems(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot open the problem set ", path));
  }
  std::string text;
  std::array<char, 4096> buffer;
  while (const size_t bytes = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    text.append(buffer.data(), bytes);
  }
  if (std::ferror(file.get())) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot read the problem set ", path));
  }
  return ParseProblems(text, path);
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

std::string ToString(const ConvProblem& p) {
  const std::string begin = FormatSizes(p, [](const Dim& dim) { return dim.pad_begin; });
  const std::string end = FormatSizes(p, [](const Dim& dim) { return dim.pad_end; });
  std::string text = absl::StrFormat(
      "%s %s%s g%d n%d c%d k%d in %s filter %s stride %s dilation %s pad %s out %s",
      Name(p.direction), Name(p.type),
      p.output_type() == p.type ? "" : absl::StrCat("->", Name(p.output_type())), p.groups, p.batch,
      p.c, p.k, FormatSizes(p, [](const Dim& dim) { return dim.in; }),
      FormatSizes(p, [](const Dim& dim) { return dim.filter; }),
      FormatSizes(p, [](const Dim& dim) { return dim.stride; }),
      FormatSizes(p, [](const Dim& dim) { return dim.dilation; }),
      begin == end ? begin : absl::StrCat(begin, ":", end),
      FormatSizes(p, [](const Dim& dim) { return dim.out(); }));
  if (p.layout != ConvProblem{}.layout) absl::StrAppend(&text, " ", Name(p.layout));
  if (p.weight_layout != ConvProblem{}.weight_layout) {
    absl::StrAppend(&text, " ", Name(p.weight_layout));
  }
  if (p.epilogue.alpha != 1) absl::StrAppend(&text, " alpha ", p.epilogue.alpha);
  for (int i = 0; i < p.epilogue.tensors; ++i) {
    const EpilogueTensor& tensor = p.epilogue.d[static_cast<size_t>(i)];
    absl::StrAppend(&text, tensor.op == EpilogueTensor::Op::kAdd ? " add " : " mul ", tensor.scale,
                    " ", Name(tensor.type), " [", absl::StrJoin(tensor.stride, " "), "]");
  }
  if (p.epilogue.clamps()) {
    absl::StrAppend(&text, " clamp [", p.epilogue.low, ", ", p.epilogue.high, "]");
  }
  return text;
}

}  // namespace gridwise
