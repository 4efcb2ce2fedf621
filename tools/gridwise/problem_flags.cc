#include "tools/gridwise/problem_flags.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/conv/limits.h"
#include "core/conv/problem_io.h"
#include "core/conv/validate.h"
#include "tools/gridwise/npy.h"

namespace gridwise {
namespace {

constexpr int kMaxRank = 3;

struct AxisFlag {
  const char* name;
  Extents ProblemFlags::* flag;
  int64_t Dim::* field;
};

// `pad` comes before `pad_end`, which overrides its far end.
constexpr AxisFlag kAxisFlags[] = {
    {"in", &ProblemFlags::in, &Dim::in},
    {"filter", &ProblemFlags::filter, &Dim::filter},
    {"stride", &ProblemFlags::stride, &Dim::stride},
    {"dilation", &ProblemFlags::dilation, &Dim::dilation},
    {"pad", &ProblemFlags::pad, &Dim::pad_begin},
    {"pad", &ProblemFlags::pad, &Dim::pad_end},
    {"pad_end", &ProblemFlags::pad_end, &Dim::pad_end},
};

/// Number of axes that the flags speak of; 1 when each is a single value, 0 when none was given.
int LongestFlag(const ProblemFlags& flags) {
  size_t longest = 0;
  for (const AxisFlag& axis : kAxisFlags)
    longest = std::max(longest, (flags.*axis.flag).values.size());
  return static_cast<int>(longest);
}

/// The value for `axis` of `rank`, or `fallback` when the flag was not given.
int64_t ValueAt(const Extents& extents, int axis, int64_t fallback) {
  if (extents.values.empty()) return fallback;
  return extents.values.size() == 1 ? extents.values[0] : extents.values[static_cast<size_t>(axis)];
}

absl::Status CheckAxisCounts(const ProblemFlags& flags, int rank) {
  for (const AxisFlag& axis : kAxisFlags) {
    const Extents& extents = flags.*axis.flag;
    if (extents.values.size() > 1 && static_cast<int>(extents.values.size()) != rank) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", axis.name, "=", AbslUnparseFlag(extents), " has ",
                       extents.values.size(), " values; the problem has ", rank, " spatial axes"));
    }
  }
  return absl::OkStatus();
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

bool AbslParseFlag(absl::string_view text, Extents* extents, std::string* error) {
  extents->values.clear();
  if (text.empty()) return true;
  absl::StatusOr<std::vector<int64_t>> sizes = ParseSizes(text);
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

std::string AbslUnparseFlag(const Extents& extents) { return absl::StrJoin(extents.values, "x"); }

bool ProblemFlags::Any() const { return n || c || k || groups || LongestFlag(*this) > 0; }

absl::StatusOr<ConvProblem> BuildProblem(Direction direction,
                                         const std::optional<ConvProblem>& base,
                                         const ProblemFlags& flags) {
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
  for (int axis = 0; axis < problem.rank; ++axis) {
    Dim& dim = problem.dims[static_cast<size_t>(kMaxRank - problem.rank + axis)];
    for (const AxisFlag& flag : kAxisFlags)
      dim.*flag.field = ValueAt(flags.*flag.flag, axis, dim.*flag.field);
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
  int64_t channels = 0;  // what does not fit is left to be reported as missing
  if (!__builtin_mul_overflow(shape.back(), *flags.groups, &channels))
    SetIfEmpty(flags.c, channels);
  if (flags.filter.values.empty()) {
    const absl::Span<const int64_t> filter =
        shape.subspan(split ? 2 : 1, static_cast<size_t>(rank));
    flags.filter.values.assign(filter.begin(), filter.end());
  }
}

/// What x and dy have in common: the batch, and the channels of one of the two.
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
    const int64_t pad = ValueAt(flags.pad, axis, 0);
    flags.in.values.push_back(
        (shape[static_cast<size_t>(axis) + 1] - 1) * ValueAt(flags.stride, axis, 1) +
        ValueAt(flags.dilation, axis, 1) * (ValueAt(flags.filter, axis, 1) - 1) + 1 - pad -
        ValueAt(flags.pad_end, axis, pad));
  }
}

}  // namespace

absl::StatusOr<ProblemFlags> CompleteFromShapes(ProblemFlags flags, const OperandShapes& shapes) {
  int rank = LongestFlag(flags);
  if (rank <= 1) {  // single values say nothing about the number of axes
    for (const std::vector<int64_t>* shape : {&shapes.dy, &shapes.x, &shapes.w}) {
      if (!shape->empty()) rank = static_cast<int>(shape->size()) - 2;
    }
  }
  for (const auto& [tensor, shape] :
       {std::pair("x", &shapes.x), std::pair("w", &shapes.w), std::pair("dy", &shapes.dy)}) {
    if (shape->empty()) continue;
    if (absl::Status status = CheckAxes(tensor, *shape, rank); !status.ok()) return status;
  }
  if (absl::Status status = CheckAxisCounts(flags, rank); !status.ok()) return status;
  // The groups of a split x or dy are needed to read the channels of a merged w.
  for (const std::vector<int64_t>* shape : {&shapes.x, &shapes.dy}) {
    if (static_cast<int>(shape->size()) == rank + 3)
      SetIfEmpty(flags.groups, (*shape)[shape->size() - 2]);
  }
  if (!shapes.w.empty()) CompleteFromWeights(flags, shapes.w, rank);
  if (!shapes.x.empty()) CompleteFromInput(flags, shapes.x, rank);
  if (!shapes.dy.empty()) CompleteFromOutput(flags, shapes.dy, rank);
  return flags;
}

}  // namespace gridwise
