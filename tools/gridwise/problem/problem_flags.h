/// From the command line's sizes to a ConvProblem.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/conv/problem.h"

namespace gridwise {

/// One value per spatial axis, outermost first ("7x14x14", "13x13", "27"); a single value stands
/// for every axis. Empty when the flag was not given. Usable as the type of an Abseil flag.
struct Extents {
  std::vector<int64_t> values;
};
bool AbslParseFlag(absl::string_view text, Extents* extents, std::string* error);
std::string AbslUnparseFlag(const Extents& extents);

/// The sizes that the user gave; what was not given is empty.
struct ProblemFlags {
  std::optional<int64_t> n, c, k, groups;  // c and k are totals over all groups
  Extents in, filter, stride, dilation;
  Extents pad;      // both ends
  Extents pad_end;  // where the far end differs

  /// Whether any size was given.
  bool Any() const;
};

/// The problem that the flags describe: `base` with the given sizes in place of its own, or without
/// `base` a new one, of as many axes as the longest of the flags, that needs at least c, k, in and
/// filter. The result is valid.
absl::StatusOr<ConvProblem> BuildProblem(Direction direction,
                                         const std::optional<ConvProblem>& base,
                                         const ProblemFlags& flags);

/// Shapes of operands as their layouts have them, see TensorShape; an empty one tells nothing.
struct OperandShapes {
  std::vector<int64_t> x;   // of nhwgc: [n][in...][c] or [n][in...][g][c/g]
  std::vector<int64_t> w;   // of gkyxc: [k][filter...][c/g] or [g][k/g][filter...][c/g]
  std::vector<int64_t> dy;  // of nhwgc: [n][out...][k] or [n][out...][g][k/g]
  Layout layout = Layout::kNHWGC;
  WeightLayout weight_layout = WeightLayout::kGKYXC;
};

/// Fills in sizes that were not given from the shapes of a direction's operands. The number of axes
/// is that of the longest flag; without one, the shapes are taken to be of the shorter forms.
/// Without x, where stride > 1, several input sizes have the same output: the smallest is taken
/// unless `in` was given.
absl::StatusOr<ProblemFlags> CompleteFromShapes(ProblemFlags flags, OperandShapes shapes);

}  // namespace gridwise
