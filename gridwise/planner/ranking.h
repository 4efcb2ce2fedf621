// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/cost/cost.h"
#include "core/launch/instance_shape.h"
#include "core/planning/plan_context.h"
#include "gridwise/planner/model.h"

namespace gridwise::model {

/// An instance that computes a problem.
struct RankedInstance {
  std::string_view family = {};
  InstanceShape shape = {};
  Cost cost = {};
  double cycles = 0;  // rank by this, least first
};

/// How the instances were ranked.
struct Ranking {
  bool by_model = false;
  std::string about;  // describes the model, or says why there is none
};

enum class ModelUse {
  kWhereBetter,  // in groups where the model was validated to be better than the estimates
  kWhereKnown,   // in all groups that the model was trained on
};

/// The number of instances that the model evaluates: those of least estimate. They include the best
/// instance of 99 in 100 problems. The number is small because each takes microseconds.
inline constexpr std::size_t kAsked = 12;

/// Fills in `cycles` of the instances of the context's problem. The model ranks up to
/// `kAsked` instances of least estimate. All others rank after them, including instances of a kind
/// that the model was not trained on.
///
/// The estimates rank all instances if
///   - there is no model (null), or `use` excludes it,
///   - the instance of least estimate is of a kind that the model was not trained on, or
///   - the problem, or an instance that the model would rank, is far from the training set.
Ranking Rank(const Model* model, ModelUse use, PlanContext& context,
             std::span<RankedInstance> instances);

}  // namespace gridwise::model
