// SPDX-License-Identifier: MIT
#include "direct/lanes.h"

#include <algorithm>
#include <cstddef>

#include "core/base/math.h"
#include "core/launch/part_kernel.h"

namespace gridwise::direct {

namespace {

/// Maximum bytes per element; sums may be f32.
std::int64_t MaxBytes(const ConvProblem& problem, Tensor which) {
  return which == problem.out() ? 4 : SizeOf(problem.type);
}

}  // namespace

MagicDiv DivideBy(std::int64_t divisor) { return MakeMagicDiv(static_cast<unsigned>(divisor)); }

DirectTensor MakeTensor(const ConvProblem& problem, Tensor which, std::int64_t size) {
  const TensorAxes axes = problem.AxesOf(which);
  DirectTensor tensor = {};
  tensor.image = axes.stride[0] * size;
  tensor.group = static_cast<int>(axes.stride[4] * size);
  for (size_t i = 0; i < 3; ++i) {
    tensor.pixel[i] = static_cast<int>(axes.stride[1 + i] * size);
    tensor.size[i] = static_cast<int>(axes.size[1 + i]);
  }
  return tensor;
}

DirectWeights MakeWeights(const ConvProblem& problem, std::int64_t element_bytes) {
  const PerAxis stride = problem.AxesOf(Tensor::kW).stride;
  DirectWeights w = {};
  w.group = static_cast<int>(stride[0] * element_bytes);
  w.k = static_cast<int>(stride[1] * element_bytes);
  w.tap = static_cast<int>(stride[4] * element_bytes);  // of the last axis; others are multiples
  w.c = static_cast<int>(stride[5] * element_bytes);
  return w;
}

std::int64_t ImageReach(const ConvProblem& problem, Tensor which) {
  const TensorAxes axes = problem.AxesOf(which);
  std::int64_t reach = 1;
  for (size_t i = 1; i < axes.size.size(); ++i) reach += (axes.size[i] - 1) * axes.stride[i];
  return reach * MaxBytes(problem, which);
}

std::int64_t ImageStep(const ConvProblem& problem, Tensor which) {
  return problem.AxesOf(which).stride[0] * MaxBytes(problem, which);
}

std::int64_t LaneItems(const ConvProblem& problem) {
  switch (problem.direction) {
    case Direction::kForward:
      return problem.k;
    case Direction::kBackwardData:
      return problem.c;
    case Direction::kBackwardWeight:
      return problem.k * problem.c_per_group();
  }
  return 0;
}

std::int64_t LaneTiles(const DirectConfig& config, Gfx gfx, const ConvProblem& problem,
                       std::int64_t images) {
  return CeilDiv<std::int64_t>(LaneItems(problem) * images,
                               std::int64_t{TraitsOf(gfx).wave_size} * config.channels);
}

std::int64_t RoomForImages(const ConvProblem& problem, Tensor one, Tensor other) {
  std::int64_t most = problem.batch;
  for (const Tensor which : {one, other}) {
    const std::int64_t room = kOffsetLimit - 1 - ImageReach(problem, which);
    most = std::min(most, 1 + std::max<std::int64_t>(room, 0) / ImageStep(problem, which));
  }
  return most;
}

}  // namespace gridwise::direct
