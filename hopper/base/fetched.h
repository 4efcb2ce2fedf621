// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/base/math.h"
#include "core/conv/problem.h"
#include "hopper/base/args.h"
#include "hopper/base/plan.h"

namespace gridwise::hopper {

/// Bytes from an operand's first element to its last.
inline std::int64_t SpanOf(const ConvProblem& problem, Tensor tensor) {
  const TensorAxes axes = problem.AxesOf(tensor);
  std::int64_t elements = 1;
  for (std::size_t axis = 0; axis < axes.size.size(); ++axis) {
    elements += (axes.size[axis] - 1) * axes.stride[axis];
  }
  return elements * SizeOf(problem.type);
}

/// Workgroups fetch small operands into L2, a share each. Launches with larger operands wait for
/// more than their first loads, and fetching did not make them faster.
template <class Args>
void SetFetched(const ConvProblem& problem, Plan<Args>& plan) {
  constexpr std::int64_t kMaxBytes = 4'000'000;
  const std::int64_t workgroups = plan.shape.workgroups.x;
  const std::pair<Tensor, Memory> operands[kFetched] = {{problem.a(), Memory::kA},
                                                        {problem.b(), Memory::kB}};
  for (std::size_t i = 0; i < kFetched; ++i) {
    const auto [tensor, memory] = operands[i];
    const std::int64_t bytes = SpanOf(problem, tensor) / 16 * 16;
    if (bytes > kMaxBytes) continue;
    FetchedArgs& fetched = plan.args.fetched[i];
    fetched.bytes = static_cast<int>(bytes);
    fetched.share = static_cast<int>(AlignUp<std::int64_t>(CeilDiv(bytes, workgroups), 16));
    const std::size_t at = offsetof(Args, fetched) + i * sizeof(fetched);
    plan.addresses.push_back({at + offsetof(FetchedArgs, data), {memory}});
  }
}

}  // namespace gridwise::hopper
