// SPDX-License-Identifier: MIT
#include "hopper/base/plan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/strings/str_format.h"
#include "core/base/types.h"
#include "core/launch/plan_epilogue.h"

namespace gridwise::hopper {

bool AddsVectors(const ConvProblem& problem, const EpilogueArgs& epilogue) {
  if (epilogue.tensors == 0) return true;
  const std::int64_t bytes = SizeOf(problem.type), columns = problem.AxesOf(problem.out()).size[5];
  if (problem.direction != Direction::kForward || bytes != 2 || columns % 4 != 0 ||
      epilogue.out_type != static_cast<int>(problem.type)) {
    return false;
  }
  const auto is_of_vectors = [&](long stride) { return stride % (4 * bytes) == 0; };
  const auto tensors = std::span(epilogue.tensor).first(static_cast<std::size_t>(epilogue.tensors));
  return std::ranges::all_of(tensors, [&](const EpilogueTensorArgs& tensor) {
    const OutputStrides& of = tensor.strides;
    return tensor.multiplies == 0 && tensor.is_f32 == 0 && of.column == bytes &&
           is_of_vectors(of.image) && (problem.groups == 1 || is_of_vectors(of.group)) &&
           std::ranges::all_of(of.axis, is_of_vectors);
  });
}

Stores LaneStoresOf(const ConvProblem& problem, const EpilogueArgs& epilogue) {
  const TensorAxes axes = problem.AxesOf(problem.out());
  const auto out_type = static_cast<DataType>(epilogue.out_type);
  const bool is_known = SizeOf(out_type) == 4 || out_type == problem.type;
  if (!is_known || !AddsVectors(problem, epilogue) || epilogue.adds != 0 || axes.stride[5] != 1) {
    return Stores::kElements;
  }
  for (std::size_t axis = 0; axis < 5; ++axis) {
    if (axes.size[axis] != 1 && axes.stride[axis] % 4 != 0) return Stores::kElements;
  }
  return axes.size[5] % 4 == 0 ? Stores::kVectors : Stores::kElements;
}

std::optional<Excess> TooLargeForLaunch(const ConvProblem& problem) {
  const std::int64_t pixels = problem.batch * std::max(problem.in_pixels(), problem.out_pixels());
  const PartAxis of_pixels = problem.batch > 1 ? PartAxis::kImages : PartAxis::kPixels;
  if (pixels >= kOffsetLimit / 2) {
    return Excess{absl::StrFormat("there are %d pixels; must be fewer than 2^30", pixels),
                  of_pixels};
  }
  // Elements of packed tensors are no further apart than there are elements.
  const bool is_packed = problem.strides[static_cast<std::size_t>(problem.out())] == PerAxis{};
  if (is_packed && problem.out_elements() * SizeOf(DataType::kF32) < kOffsetLimit) {
    return TooLargeForEpilogue(problem, 1);
  }
  const TensorAxes axes = problem.AxesOf(problem.out());
  for (const std::size_t axis : {1u, 2u, 3u, 4u}) {
    const std::int64_t bytes = axes.stride[axis] * SizeOf(DataType::kF32);
    if (bytes >= kOffsetLimit) {
      return Excess{absl::StrFormat("elements of the output are %d bytes apart; must be fewer than "
                                    "2^31",
                                    bytes),
                    of_pixels};
    }
  }
  return TooLargeForEpilogue(problem, 1);
}

}  // namespace gridwise::hopper
