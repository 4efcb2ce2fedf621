// SPDX-License-Identifier: MIT
/// Makes a ConvProblem from the sizes of the command line.
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

/// One value per spatial axis, outermost first ("7x14x14", "13x13", "27"), also as other programs
/// write it ("13,13", "(13, 13)", "[13, 13]"). A single value applies to every axis. Empty if the
/// flag was not given. Usable as the type of an Abseil flag.
struct Extents {
  std::vector<int64_t> values;
  std::string word = {};  // "same", "same_lower" or "valid", of the padding: instead of values
};
bool AbslParseFlag(absl::string_view text, Extents* extents, std::string* error);
std::string AbslUnparseFlag(const Extents& extents);

/// "2x3" of "2,3", "(2, 3)" and "[2, 3]", as other programs write sizes. Commas become "x" in any
/// text, so that what is no list of sizes is for the parser to refuse.
std::string NormalizeSizes(absl::string_view text);

/// The sizes from the command line. Empty: not given.
struct ProblemFlags {
  std::optional<int64_t> n, c, k, groups;  // c and k are totals over all groups
  Extents in, filter, stride, dilation;
  /// At both ends. "valid" is 0. With "same" there are ceil(in / stride) output pixels; an odd
  /// zero is at the end, as in TensorFlow, JAX, PyTorch and "same_upper" of ONNX, and at the
  /// beginning with "same_lower".
  Extents pad;
  Extents pad_end;  // at the end, if it differs
  /// Of a transposed convolution: output pixels beyond the last that its input determines.
  Extents output_padding;

  /// Returns whether any size was given.
  bool Any() const;
};

/// Returns the problem that the flags describe, which is valid. The flags override the sizes of
/// `base`. Without `base`, c, k, in and filter are required, and the longest flag determines the
/// number of axes.
absl::StatusOr<ConvProblem> BuildProblem(Direction direction,
                                         const std::optional<ConvProblem>& base,
                                         const ProblemFlags& flags);

/// Returns the backward-data problem that is the transposed convolution of the flags, as frameworks
/// have it: x with c channels and `in` pixels, y with k channels. The problem's dy is that x and
/// its dx that y, so its c is their k. On each axis y has
///
///   (in - 1) stride + dilation (filter - 1) + 1 - pad_begin - pad_end + output_padding
///
/// pixels, with 0 <= output_padding < stride, or in * stride of them if `pad` is "same" or
/// "same_lower".
absl::StatusOr<ConvProblem> BuildTransposed(const ProblemFlags& flags);

/// Shapes of operands, in their layouts (TensorShape). Empty: unknown.
struct OperandShapes {
  std::vector<int64_t> x;   // for nhwgc: [n][in...][c] or [n][in...][g][c/g]
  std::vector<int64_t> w;   // for gkyxc: [k][filter...][c/g] or [g][k/g][filter...][c/g]
  std::vector<int64_t> dy;  // for nhwgc: [n][out...][k] or [n][out...][g][k/g]
  Layout layout = Layout::kNHWGC;
  WeightLayout weight_layout = WeightLayout::kGKYXC;
};

/// Fills in missing sizes from the shapes of a direction's operands. The longest flag determines
/// the number of axes. Without flags, the shapes are assumed to have the shorter forms. If x is
/// unknown and stride > 1, several input sizes have the same output size; the smallest is used
/// unless `in` was given.
absl::StatusOr<ProblemFlags> CompleteFromShapes(ProblemFlags flags, OperandShapes shapes);

}  // namespace gridwise
