// SPDX-License-Identifier: MIT
#include "tools/gridwise/problem/problem_flags.h"

#include <algorithm>
#include <span>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "core/conv/limits.h"
#include "core/conv/problem_io.h"
#include "core/conv/validate.h"
#include "tools/gridwise/problem/npy.h"

namespace gridwise {
namespace {

constexpr int kMaxRank = 3;

struct AxisFlag {
  const char* name;
  Extents ProblemFlags::* flag;
  int64_t Dim::* field;
};

// `pad` comes before `pad_end`, which overrides the padding at the end.
constexpr AxisFlag kAxisFlags[] = {
    {"in", &ProblemFlags::in, &Dim::in},
    {"filter", &ProblemFlags::filter, &Dim::filter},
    {"stride", &ProblemFlags::stride, &Dim::stride},
    {"dilation", &ProblemFlags::dilation, &Dim::dilation},
    {"pad", &ProblemFlags::pad, &Dim::pad_begin},
    {"pad", &ProblemFlags::pad, &Dim::pad_end},
    {"pad_end", &ProblemFlags::pad_end, &Dim::pad_end},
};

/// Returns the number of axes of the flags: 1 if each is a single value, 0 if none was given.
int LongestFlag(const ProblemFlags& flags) {
  size_t longest = 0;
  for (const AxisFlag& axis : kAxisFlags)
    longest = std::max(longest, (flags.*axis.flag).values.size());
  longest = std::max(longest, flags.output_padding.values.size());
  return static_cast<int>(longest);
}

/// Returns the value for `axis` of `rank`, or `fallback` if the flag was not given.
int64_t ValueAt(const Extents& extents, int axis, int64_t fallback) {
  if (extents.values.empty()) return fallback;
  return extents.values.size() == 1 ? extents.values[0] : extents.values[static_cast<size_t>(axis)];
}

absl::Status CheckAxisCounts(const ProblemFlags& flags, int rank) {
  const auto check = [&](const char* name, const Extents& extents) {
    const auto count = extents.values.size();
    if (count <= 1 || static_cast<int>(count) == rank) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("--", name, "=", AbslUnparseFlag(extents),
                                                   " has ", count, " values; the problem has ",
                                                   rank, " spatial axes"));
  };
  absl::Status status = check("output-padding", flags.output_padding);
  for (const AxisFlag& axis : kAxisFlags) status.Update(check(axis.name, flags.*axis.flag));
  return status;
}

constexpr absl::string_view kSame = "same", kSameLower = "same_lower", kValid = "valid";

/// Words are values of --pad alone, and then of both ends. A dilation of 0 is oneDNN's 1.
absl::Status CheckWords(const ProblemFlags& flags) {
  for (const AxisFlag& axis : kAxisFlags) {
    const std::string& word = (flags.*axis.flag).word;
    if (word.empty() || axis.flag == &ProblemFlags::pad) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--", axis.name, "=", word, " must be numbers; --pad may be ", word));
  }
  if (!flags.output_padding.word.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--output-padding=", flags.output_padding.word, " must be numbers"));
  }
  if (!flags.pad.word.empty() && !flags.pad_end.values.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--pad=", flags.pad.word, " is the padding at both ends; it excludes --pad-end"));
  }
  if (std::find(flags.dilation.values.begin(), flags.dilation.values.end(), 0) !=
      flags.dilation.values.end()) {
    return absl::InvalidArgumentError(
        "--dilation has a 0; must be >= 1. oneDNN's dilation of 0 is 1 here, and 1 is 2");
  }
  return absl::OkStatus();
}

/// Pads by `total` zeros, as "same" or "same_lower" say.
void SetSame(absl::string_view word, int64_t total, Dim& dim) {
  const int64_t lesser = total / 2, larger = total - lesser;
  dim.pad_begin = word == kSame ? lesser : larger;
  dim.pad_end = word == kSame ? larger : lesser;
}

/// Sets the padding that a word means.
void SetPadding(absl::string_view word, Dim& dim) {
  if (word.empty()) return;
  dim.pad_begin = dim.pad_end = 0;
  if (word == kValid || dim.stride < 1) return;
  const int64_t out = (dim.in + dim.stride - 1) / dim.stride;
  const int64_t total =
      std::max<int64_t>((out - 1) * dim.stride + dim.dilated_filter() - dim.in, 0);
  SetSame(word, total, dim);
}

absl::Status CheckComplete(const ProblemFlags& flags) {
  std::vector<absl::string_view> missing;
  if (!flags.c) missing.push_back("--c");
  if (!flags.k) missing.push_back("--k");
  if (flags.in.values.empty()) missing.push_back("--in");
  if (flags.filter.values.empty()) missing.push_back("--filter");
  if (missing.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the problem is incomplete: give ",
                                                 absl::StrJoin(missing, ", "),
                                                 ", or a --problem by name"));
}

}  // namespace

std::string NormalizeSizes(absl::string_view text) {
  if ((text.starts_with('(') && text.ends_with(')')) ||
      (text.starts_with('[') && text.ends_with(']'))) {
    text = text.substr(1, text.size() - 2);
    absl::ConsumeSuffix(&text, ",");  // of "(2,)"
  }
  return absl::StrReplaceAll(text, {{", ", "x"}, {",", "x"}});
}

bool AbslParseFlag(absl::string_view text, Extents* extents, std::string* error) {
  extents->values.clear();
  extents->word.clear();
  if (text.empty()) return true;
  const std::string lower = absl::AsciiStrToLower(text);
  for (const absl::string_view word : {kSame, kSameLower, kValid}) {
    if (lower == word) extents->word = lower;
  }
  if (lower == "same_upper") extents->word = kSame;
  if (!extents->word.empty()) return true;
  absl::StatusOr<std::vector<int64_t>> sizes = ParseSizes(NormalizeSizes(text));
  if (!sizes.ok()) {
    *error = std::string(sizes.status().message());
    return false;
  }
  for (int64_t size : *sizes) {
    if (size >= -kMaxAxisLength && size <= kMaxAxisLength) continue;
    *error = absl::StrCat(size, " is too large; at most ", kMaxAxisLength, " is supported");
    return false;
  }
  extents->values = *std::move(sizes);
  return true;
}

std::string AbslUnparseFlag(const Extents& extents) {
  return extents.word.empty() ? absl::StrJoin(extents.values, "x") : extents.word;
}

bool ProblemFlags::Any() const {
  return n || c || k || groups || LongestFlag(*this) > 0 || !pad.word.empty();
}

absl::StatusOr<ConvProblem> BuildProblem(Direction direction,
                                         const std::optional<ConvProblem>& base,
                                         const ProblemFlags& flags) {
  if (absl::Status status = CheckWords(flags); !status.ok()) return status;
  if (!flags.output_padding.values.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--output-padding belongs to conv_transpose; give --in, the pixels of dx, to ",
                     Name(direction)));
  }
  ConvProblem problem;
  if (base) {
    problem = *base;
  } else {
    if (absl::Status status = CheckComplete(flags); !status.ok()) return status;
    problem.rank = LongestFlag(flags);
  }
  problem.direction = direction;
  if (absl::Status status = CheckAxisCounts(flags, problem.rank); !status.ok()) return status;
  problem.batch = flags.n.value_or(problem.batch);
  problem.c = flags.c.value_or(problem.c);
  problem.k = flags.k.value_or(problem.k);
  problem.groups = flags.groups.value_or(problem.groups);
  const std::span<Dim> axes = std::span(problem.dims).last(static_cast<size_t>(problem.rank));
  for (int axis = 0; axis < problem.rank; ++axis) {
    Dim& dim = axes[static_cast<size_t>(axis)];
    for (const AxisFlag& flag : kAxisFlags)
      dim.*flag.field = ValueAt(flags.*flag.flag, axis, dim.*flag.field);
    SetPadding(flags.pad.word, dim);
  }
  if (absl::Status status = Validate(problem); !status.ok()) return status;
  return problem;
}

namespace {

/// Turns an axis of a transposed convolution, whose `in` are the pixels of its input, into that of
/// the backward-data problem, whose `in` are the pixels of its output.
absl::Status Transpose(absl::string_view pad, int64_t output_padding, Dim& dim) {
  if (dim.stride < 1 || dim.filter < 1 || dim.dilation < 1 || dim.in < 1) return absl::OkStatus();
  const int64_t in = dim.in, filter = dim.dilated_filter();
  if (output_padding < 0 || output_padding >= dim.stride) {
    return absl::InvalidArgumentError(
        absl::StrCat("--output-padding has a ", output_padding,
                     "; must be >= 0 and less than the stride, which is ", dim.stride));
  }
  if (pad == kSame || pad == kSameLower) {
    if (output_padding != 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--pad=", pad, " has in * stride output pixels; it excludes --output-padding"));
    }
    dim.in = in * dim.stride;
    SetSame(pad, std::max<int64_t>(filter - dim.stride, 0), dim);
    return absl::OkStatus();
  }
  if (pad == kValid) dim.pad_begin = dim.pad_end = 0;
  dim.in = (in - 1) * dim.stride + filter - dim.pad_begin - dim.pad_end + output_padding;
  if (dim.in >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the transposed convolution has ", dim.in,
                   " output pixels on an axis with --in=", in, ", a filter of ", dim.filter,
                   " and padding of ", dim.pad_begin, " and ", dim.pad_end, "; must be >= 1"));
}

}  // namespace

absl::StatusOr<ConvProblem> BuildTransposed(const ProblemFlags& flags) {
  if (absl::Status status = CheckWords(flags); !status.ok()) return status;
  if (absl::Status status = CheckComplete(flags); !status.ok()) return status;
  ConvProblem problem = {.direction = Direction::kBackwardData};
  problem.rank = LongestFlag(flags);
  if (absl::Status status = CheckAxisCounts(flags, problem.rank); !status.ok()) return status;
  problem.batch = flags.n.value_or(problem.batch);
  problem.c = *flags.k;
  problem.k = *flags.c;
  problem.groups = flags.groups.value_or(problem.groups);
  const std::span<Dim> axes = std::span(problem.dims).last(static_cast<size_t>(problem.rank));
  for (int axis = 0; axis < problem.rank; ++axis) {
    Dim& dim = axes[static_cast<size_t>(axis)];
    for (const AxisFlag& flag : kAxisFlags)
      dim.*flag.field = ValueAt(flags.*flag.flag, axis, dim.*flag.field);
    absl::Status status = Transpose(flags.pad.word, ValueAt(flags.output_padding, axis, 0), dim);
    if (!status.ok()) return status;
  }
  if (absl::Status status = Validate(problem); !status.ok()) return status;
  return problem;
}

namespace {

absl::Status CheckAxes(absl::string_view tensor, absl::Span<const int64_t> shape, int rank) {
  const int axes = static_cast<int>(shape.size());
  if (rank < 1 || rank > kMaxRank) {
    return absl::InvalidArgumentError(absl::StrCat(tensor, " has the shape ", ShapeToString(shape),
                                                   ", which leaves ", rank, " spatial axes; 1 to ",
                                                   kMaxRank, " are supported"));
  }
  if (axes == rank + 2 || axes == rank + 3) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(tensor, " has the shape ", ShapeToString(shape),
                                                 "; ", rank, " spatial axes need ", rank + 2,
                                                 " or ", rank + 3, " axes"));
}

void SetIfEmpty(std::optional<int64_t>& flag, int64_t value) {
  if (!flag) flag = value;
}

void CompleteFromWeights(ProblemFlags& flags, absl::Span<const int64_t> shape, int rank) {
  const bool split = static_cast<int>(shape.size()) == rank + 3;
  if (split) SetIfEmpty(flags.groups, shape[0]);
  SetIfEmpty(flags.groups, 1);
  SetIfEmpty(flags.k, split ? shape[0] * shape[1] : shape[0]);
  int64_t channels = 0;  // a mismatch is later reported as missing
  if (!__builtin_mul_overflow(shape.back(), *flags.groups, &channels))
    SetIfEmpty(flags.c, channels);
  if (flags.filter.values.empty()) {
    const absl::Span<const int64_t> filter =
        shape.subspan(split ? 2 : 1, static_cast<size_t>(rank));
    flags.filter.values.assign(filter.begin(), filter.end());
  }
}

/// Sets the sizes that x and dy share: the batch, and the channels of one of the two.
void CompleteFromActivation(ProblemFlags& flags, std::optional<int64_t> ProblemFlags::* channels,
                            absl::Span<const int64_t> shape, int rank) {
  const bool split = static_cast<int>(shape.size()) == rank + 3;
  if (split) SetIfEmpty(flags.groups, shape[shape.size() - 2]);
  SetIfEmpty(flags.n, shape[0]);
  SetIfEmpty(flags.*channels, split ? shape[shape.size() - 2] * shape.back() : shape.back());
}

void CompleteFromInput(ProblemFlags& flags, absl::Span<const int64_t> shape, int rank) {
  CompleteFromActivation(flags, &ProblemFlags::c, shape, rank);
  if (!flags.in.values.empty()) return;
  const absl::Span<const int64_t> in = shape.subspan(1, static_cast<size_t>(rank));
  flags.in.values.assign(in.begin(), in.end());
}

void CompleteFromOutput(ProblemFlags& flags, absl::Span<const int64_t> shape, int rank) {
  CompleteFromActivation(flags, &ProblemFlags::k, shape, rank);
  if (!flags.in.values.empty() || flags.filter.values.empty()) return;
  for (int axis = 0; axis < rank; ++axis) {
    const int64_t first_of_last =
        (shape[static_cast<size_t>(axis) + 1] - 1) * ValueAt(flags.stride, axis, 1);
    const int64_t beyond = ValueAt(flags.dilation, axis, 1) * (ValueAt(flags.filter, axis, 1) - 1);
    const int64_t pad = ValueAt(flags.pad, axis, 0);
    const int64_t pads = flags.pad.word == kSame ? beyond : pad + ValueAt(flags.pad_end, axis, pad);
    flags.in.values.push_back(first_of_last + beyond + 1 - pads);
  }
}

/// Returns the number of axes of the shapes, without flags. Shapes of gnhwc are unambiguous; others
/// are assumed to have the shorter forms.
int InferRank(const OperandShapes& shapes) {
  int rank = 0;
  for (const std::vector<int64_t>* shape : {&shapes.dy, &shapes.x, &shapes.w}) {
    if (!shape->empty()) rank = static_cast<int>(shape->size()) - 2;
  }
  if (shapes.layout != Layout::kGNHWC) return rank;
  for (const std::vector<int64_t>* shape : {&shapes.dy, &shapes.x}) {
    if (!shape->empty()) rank = static_cast<int>(shape->size()) - 3;
  }
  return rank;
}

/// Moves the axes of x or dy to their positions in nhwgc.
absl::Status ToFirstLayout(absl::string_view tensor, Layout layout, int rank,
                           std::vector<int64_t>& shape) {
  const bool split = static_cast<int>(shape.size()) == rank + 3;
  if (layout == Layout::kNGCHW) {  // n, channels, pixels
    std::rotate(shape.begin() + 1, shape.begin() + (split ? 3 : 2), shape.end());
  }
  if (layout != Layout::kGNHWC) return absl::OkStatus();
  if (!split) {
    return absl::InvalidArgumentError(absl::StrCat(tensor, " has the shape ", ShapeToString(shape),
                                                   "; in gnhwc ", rank, " spatial axes need ",
                                                   rank + 3, " axes"));
  }
  std::rotate(shape.begin(), shape.begin() + 1, shape.end() - 1);  // g after the pixels
  return absl::OkStatus();
}

/// Moves the axes of w to their positions in gkyxc. The shorter form has the channels of all
/// `groups` groups together; this separates them.
absl::Status ToFirstLayout(WeightLayout layout, int rank, int64_t groups,
                           std::vector<int64_t>& shape) {
  if (layout == WeightLayout::kGKYXC) return absl::OkStatus();
  if (static_cast<int>(shape.size()) == rank + 2) {
    if (groups < 1 || shape.back() % groups != 0) {
      return absl::InvalidArgumentError(absl::StrCat("w has the shape ", ShapeToString(shape),
                                                     "; in kyxgc its last axis must be ",
                                                     "a multiple of groups, which is ", groups));
    }
    shape.back() /= groups;
    shape.insert(shape.end() - 1, groups);
  }
  std::rotate(shape.begin(), shape.end() - 2, shape.end() - 1);  // g to the front
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ProblemFlags> CompleteFromShapes(ProblemFlags flags, OperandShapes shapes) {
  int rank = LongestFlag(flags);
  if (rank <= 1) rank = InferRank(shapes);  // single values do not determine the number of axes
  for (const auto& [tensor, shape] :
       {std::pair("x", &shapes.x), std::pair("w", &shapes.w), std::pair("dy", &shapes.dy)}) {
    if (shape->empty()) continue;
    if (absl::Status status = CheckAxes(tensor, *shape, rank); !status.ok()) return status;
  }
  if (absl::Status status = CheckAxisCounts(flags, rank); !status.ok()) return status;
  // The groups of a split x or dy are needed to read the channels of a merged w.
  for (const auto& [tensor, shape] : {std::pair("x", &shapes.x), std::pair("dy", &shapes.dy)}) {
    if (shape->empty()) continue;
    absl::Status status = ToFirstLayout(tensor, shapes.layout, rank, *shape);
    if (!status.ok()) return status;
    if (static_cast<int>(shape->size()) == rank + 3)
      SetIfEmpty(flags.groups, (*shape)[shape->size() - 2]);
  }
  if (!shapes.w.empty()) {
    absl::Status status =
        ToFirstLayout(shapes.weight_layout, rank, flags.groups.value_or(1), shapes.w);
    if (!status.ok()) return status;
    CompleteFromWeights(flags, shapes.w, rank);
  }
  if (!shapes.x.empty()) CompleteFromInput(flags, shapes.x, rank);
  if (!shapes.dy.empty()) CompleteFromOutput(flags, shapes.dy, rank);
  return flags;
}

}  // namespace gridwise
