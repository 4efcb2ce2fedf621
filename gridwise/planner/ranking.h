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
  double cycles = 0;  // that it is ranked by
};

/// What instances were ranked by.
struct Ranking {
  bool by_model = false;
  std::string about;  // the model; or, by the estimates, why no model
};

enum class ModelUse {
  kWhereBetter,  // in groups where it was validated to be better than the estimates
  kWhereKnown,   // in those that it was trained on
};

/// Instances that the model is asked about, those of least estimate: the best is one of them on all
/// but one in a hundred problems, and each takes microseconds.
inline constexpr std::size_t kAsked = 12;

/// Fills in `cycles` of the instances of the context's problem: of some of least estimate by the
/// model, behind which the others come, new ones among them; or where there is no model (null),
/// where it is not to be used, where the instance of least estimate is new, or where one of those
/// instances or the problem is far from what it was trained on, by the estimates of all instances.
Ranking Rank(const Model* model, ModelUse use, PlanContext& context,
             std::span<RankedInstance> instances);

}  // namespace gridwise::model
