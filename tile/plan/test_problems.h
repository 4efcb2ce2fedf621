// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "core/conv/sub_gemms.h"
#include "tile/plan/gather.h"

namespace gridwise::tile {

inline ConvProblem Problem2d(std::int64_t n, std::int64_t c, std::int64_t k, Dim h, Dim w) {
  return {.direction = Direction::kBackwardData,
          .rank = 2,
          .batch = n,
          .c = c,
          .k = k,
          .dims = {Dim{}, h, w}};
}

constexpr DeviceFacts kDevice = Gfx::k942;

inline GatherPlan PlanOf(const TileConfig& config, const ConvProblem& problem,
                         SplitK split_k = {}) {
  return PlanGather(config, {kDevice, problem, MakeSubGemms(problem), split_k});
}
inline PartEstimate EstimateOf(const TileConfig& config, const ConvProblem& problem,
                               SplitK split_k = {}) {
  PartEstimate estimate =
      EstimateGather(config, {kDevice, problem, MakeSubGemms(problem), split_k});
  estimate.cost = WithCycles(estimate.cost);
  return estimate;
}

}  // namespace gridwise::tile
