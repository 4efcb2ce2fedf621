// SPDX-License-Identifier: MIT
#include "core/conv/strides.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/conv/validate.h"

namespace gridwise {
namespace {

/// A tensor, and the strides that its user gave.
struct Given {
  const char* name;
  Tensor tensor;
  const PerAxis& stride;

  bool is_given() const { return stride != PerAxis{}; }
};

/// The first axis with more than one index whose strides differ; 6 if all are equal.
std::size_t FirstDifference(const Given& given, const ConvProblem& problem) {
  const TensorAxes packed = problem.AxesOf(given.tensor);
  std::size_t axis = 0;
  while (axis < 6 && (packed.size[axis] == 1 || packed.stride[axis] == given.stride[axis])) ++axis;
  return axis;
}

/// Sets `member` to the first of `layouts` that has the strides of all tensors. Errors name the
/// difference from the layout with the most matching axes.
template <class L>
absl::Status Choose(std::span<const L> layouts, L ConvProblem::* member,
                    std::span<const Given> tensors, ConvProblem& problem) {
  if (std::ranges::none_of(tensors, &Given::is_given)) return absl::OkStatus();
  std::string nearest;
  std::size_t most = 0;
  ConvProblem candidate = problem;
  for (const L layout : layouts) {
    candidate.*member = layout;
    std::size_t right = 0;
    std::string difference;
    for (const Given& given : tensors) {
      if (!given.is_given()) continue;
      const std::size_t axis = FirstDifference(given, candidate);
      right += axis;
      if (axis == 6 || !difference.empty()) continue;
      difference = absl::StrFormat(
          "%s has strides [%s]; as a packed tensor in %s, which is nearest, its stride of axis %d "
          "must be %d",
          given.name, absl::StrJoin(given.stride, " "), Name(layout), axis,
          candidate.AxesOf(given.tensor).stride[axis]);
    }
    if (difference.empty()) {
      problem.*member = layout;
      return absl::OkStatus();
    }
    if (nearest.empty() || right > most) {
      nearest = difference;
      most = right;
    }
  }
  return absl::InvalidArgumentError(nearest);
}

}  // namespace

absl::Status SetLayouts(const TensorStrides& strides, ConvProblem& problem) {
  const Given of_pixels[] = {{"x", Tensor::kX, strides.x}, {"y", Tensor::kY, strides.y}};
  const Given of_weights[] = {{"w", Tensor::kW, strides.w}};
  ConvProblem chosen = problem;
  // Sizes that are valid in no layout cannot be computed. These layouts have the shortest reach.
  chosen.layout = Layout::kGNHWC;
  chosen.weight_layout = WeightLayout::kGKYXC;
  if (absl::Status status = Validate(chosen); !status.ok()) return status;
  chosen = problem;
  absl::Status status = Choose<Layout>(kAllLayouts, &ConvProblem::layout, of_pixels, chosen);
  status.Update(
      Choose<WeightLayout>(kAllWeightLayouts, &ConvProblem::weight_layout, of_weights, chosen));
  if (status.ok()) problem = chosen;
  return status;
}

}  // namespace gridwise
