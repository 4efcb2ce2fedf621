// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/cost/cost.h"
#include "core/launch/instance_shape.h"
#include "core/planning/plan_context.h"
#include "gridwise/planner/trees.h"

/// The features that a model sees of an instance that computes a problem. They describe the
/// direction's true GEMMs, the target, the instance, how well these fit, and the instance's
/// estimate.

namespace gridwise::model {

/// Returns the names of the features, in order. Features beyond this list are unused.
std::span<const std::string_view> FeatureNames();

/// The sizes that tiles and lanes cover.
struct Extents {
  double m = 1, n = 1, k = 1;   // sizes of a group's largest GEMM
  double source = 1;            // channels of a group: the part of k that belongs to one tap
  double lane_items = 1;        // items of all groups that lanes cover, if there is no tile
  double pixels = 1, taps = 1;  // along w, in the largest GEMM
  double wave_size = 64;
  double out_bytes = 1;  // bytes of an element of the output
};

/// How an instance's estimate compares with those of the problem's other instances.
struct Standing {
  int rank = 0;  // number of smaller estimates
  double min_cycles = 1, second_cycles = 1;
};

/// Computes the features of the instances of one problem on one device.
class FeatureMaker {
 public:
  explicit FeatureMaker(PlanContext& context);

  /// Returns the features of an instance of `shape` with the estimate `cost`.
  Features Of(const InstanceShape& shape, const Cost& cost, const Standing& standing) const;

 private:
  Features problem_ = {};       // features of the problem and the device; others are 0
  std::size_t of_problem_ = 0;  // number of features of the problem and the device
  Extents extents_;
  double units_ = 1;           // compute units of the device
  double tensors_cycles_ = 0;  // cycles to move all tensors between L2 and what is beyond it
};

}  // namespace gridwise::model
