// SPDX-License-Identifier: MIT
#include "tools/gridwise/import/miopen_find_db.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "core/base/types.h"
#include "core/conv/problem.h"

namespace gridwise {
namespace {

constexpr char kKind[] = "keys of MIOpen's find-db";

/// Whether a text is numbers joined by x, as "3x3".
bool AreSizes(std::string_view text) {
  return absl::StrContains(text, 'x') && text.front() != 'x' && text.back() != 'x' &&
         std::ranges::all_of(text, [](char c) { return c == 'x' || absl::ascii_isdigit(c); });
}

/// The fields of a key.
struct Key {
  std::int64_t channels = 0, out_channels = 0, batch = 0, groups = 1;
  std::vector<std::int64_t> in, filter, out, pad, stride, dilation;
  std::string layout, type, direction;
};

/// Takes the fields of a key one after the other, up to the first error.
class Fields {
 public:
  explicit Fields(std::vector<std::string_view> fields) : fields_(std::move(fields)) {}

  std::string_view Text() { return next_ < fields_.size() ? fields_[next_++] : ""; }
  std::size_t left() const { return fields_.size() - next_; }
  std::int64_t Number(std::string_view what) {
    const absl::StatusOr<std::int64_t> value = ReadImportedNumber(what, Text());
    status_.Update(value.status());
    return value.value_or(0);
  }
  /// Of each axis, in fields of their own.
  std::vector<std::int64_t> Numbers(std::string_view what, std::size_t count) {
    std::vector<std::int64_t> values(count);
    for (std::int64_t& value : values) value = Number(what);
    return values;
  }
  /// Of each axis, joined by x.
  std::vector<std::int64_t> Sizes(std::string_view what, std::size_t count) {
    const std::string_view text = Text();
    absl::StatusOr<std::vector<std::int64_t>> values = ReadImportedNumbers(what, text, 'x');
    status_.Update(values.status());
    if (values.ok() && values->size() != count) {
      status_.Update(absl::InvalidArgumentError(
          absl::StrFormat("%s is '%s'; must have %d numbers", what, text, count)));
    }
    return status_.ok() ? *std::move(values) : std::vector<std::int64_t>(count);
  }
  const absl::Status& status() const { return status_; }

 private:
  std::vector<std::string_view> fields_;
  std::size_t next_ = 0;
  absl::Status status_;
};

/// Takes "_g2" and the like from the end of the last field.
absl::Status ReadSuffixes(std::string_view text, Key& key) {
  std::vector<std::string_view> parts = absl::StrSplit(text, '_');
  key.direction = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (!parts[i].starts_with('g')) {
      return absl::UnimplementedError(
          absl::StrFormat("the key ends with '_%s'; Gridwise has no casts", parts[i]));
    }
    const absl::StatusOr<std::int64_t> groups = ReadImportedNumber("g", parts[i].substr(1));
    if (!groups.ok()) return groups.status();
    key.groups = std::max<std::int64_t>(*groups, 1);
  }
  return absl::OkStatus();
}

absl::StatusOr<Key> ReadKey(Fields fields, std::size_t rank) {
  Key key;
  key.channels = fields.Number("C");
  key.in = fields.Numbers("the size", rank);
  key.filter = fields.Sizes("the filter", rank);
  key.out_channels = fields.Number("K");
  key.out = fields.Numbers("the output size", rank);
  key.batch = fields.Number("N");
  key.pad = fields.Sizes("the padding", rank);
  key.stride = fields.Sizes("the stride", rank);
  key.dilation = fields.Sizes("the dilation", rank);
  fields.Number("bias");
  if (!fields.status().ok()) return fields.status();
  if (fields.left() != 3 && fields.left() != 5) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the key has %d fields after the bias; must have 3 or 5: one or three "
                        "layouts, the type and the direction",
                        fields.left()));
  }
  key.layout = fields.Text();
  while (fields.left() > 2) {
    if (const std::string_view other = fields.Text(); other != key.layout) {
      return absl::UnimplementedError(absl::StrFormat(
          "the layouts are %s and %s; Gridwise has one for all tensors", key.layout, other));
    }
  }
  key.type = fields.Text();
  if (absl::Status status = ReadSuffixes(fields.Text(), key); !status.ok()) return status;
  return key;
}

absl::Status SetVariant(const Key& key, ConvProblem& problem) {
  constexpr std::pair<std::string_view, DataType> kTypes[] = {
      {"FP32", DataType::kF32},       {"FP16", DataType::kF16},
      {"BF16", DataType::kBF16},      {"BFP16", DataType::kBF16},
      {"INT8", DataType::kI8},        {"INT8INT8INT32", DataType::kI8},
      {"FP8", DataType::kF8E4M3Fnuz}, {"BF8", DataType::kF8E5M2Fnuz}};
  const auto type =
      std::ranges::find(kTypes, key.type, &std::pair<std::string_view, DataType>::first);
  if (type == std::end(kTypes)) {
    return absl::UnimplementedError(
        absl::StrFormat("the type is %s, which Gridwise does not have", key.type));
  }
  problem.type = type->second;
  if (key.layout == "NHWC" || key.layout == "NDHWC") {
    problem.layout = Layout::kNHWGC;
  } else if (key.layout == "NCHW" || key.layout == "NCDHW") {
    problem.layout = Layout::kNGCHW;
  } else {
    return absl::UnimplementedError(
        absl::StrFormat("the layout is %s; must be NCHW, NHWC, NCDHW or NDHWC", key.layout));
  }
  constexpr std::pair<std::string_view, Direction> kDirections[] = {
      {"F", Direction::kForward},
      {"B", Direction::kBackwardData},
      {"W", Direction::kBackwardWeight}};
  for (const auto& [name, direction] : kDirections) {
    if (name != key.direction) continue;
    problem.direction = direction;
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrFormat("the direction is %s; must be F, B or W", key.direction));
}

absl::StatusOr<ConvProblem> MakeProblem(const Key& key) {
  ConvProblem problem = {
      .rank = static_cast<int>(key.in.size()), .groups = key.groups, .batch = key.batch};
  if (absl::Status status = SetVariant(key, problem); !status.ok()) return status;
  const bool forward = problem.direction == Direction::kForward;
  problem.c = forward ? key.channels : key.out_channels;
  problem.k = forward ? key.out_channels : key.channels;
  const std::vector<Dim*> axes = AxesOf(problem);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    *axes[i] = {.in = forward ? key.in[i] : key.out[i],
                .filter = key.filter[i],
                .stride = key.stride[i],
                .dilation = key.dilation[i],
                .pad_begin = key.pad[i],
                .pad_end = key.pad[i]};
  }
  if (absl::Status status = CheckOutput(problem, forward ? key.out : key.in); !status.ok()) {
    return status;
  }
  return problem;
}

}  // namespace

ImportedLine ReadMIOpenFindDb(std::string_view line) {
  const std::string_view key = absl::StripAsciiWhitespace(line.substr(0, line.find('=')));
  std::vector<std::string_view> fields = absl::StrSplit(key, '-');
  if (fields.size() < 8 || !std::ranges::all_of(fields.front(), absl::ascii_isdigit)) {
    return std::nullopt;
  }
  const std::size_t rank = AreSizes(fields[3]) ? 2 : 3;
  if (rank == 3 && !AreSizes(fields[4])) return std::nullopt;
  const absl::StatusOr<Key> read = ReadKey(Fields(std::move(fields)), rank);
  if (!read.ok()) return read.status();
  const absl::StatusOr<ConvProblem> problem = MakeProblem(*read);
  if (!problem.ok()) return problem.status();
  ImportedItem item = {.kind = kKind, .problems = {*problem}};
  if (problem->layout == Layout::kNGCHW) item.note = kWeightsDiffer;
  return item;
}

}  // namespace gridwise
