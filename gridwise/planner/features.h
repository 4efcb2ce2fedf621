#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "core/cost/cost.h"
#include "core/launch/instance_shape.h"
#include "core/planning/plan_context.h"

/// What models are told of an instance that computes a problem: numbers of the true GEMMs of the
/// direction, of the target, of the instance, of how they fit, and of the instance's estimate.

namespace gridwise::model {

inline constexpr std::size_t kMaxFeatures = 88;
using Features = std::array<float, kMaxFeatures>;

/// Their names, in their order: as many as there are.
std::span<const std::string_view> FeatureNames();

/// What tiles and lanes are to fill.
struct Extents {
  double m = 1, n = 1, k = 1;   // of a group's largest GEMM
  double source = 1;            // channels of a group, of which a tap's part of k consists
  double lane_items = 1;        // that lanes lie along, where there is no tile: of all groups
  double pixels = 1, taps = 1;  // along w, of the largest GEMM
  double wave_size = 64;
  double out_bytes = 1;  // of an element of the output
};

/// How an instance's estimate is among those of the problem's instances.
struct Standing {
  int rank = 0;  // how many are less
  double least_cycles = 1, second_cycles = 1;
};

/// Those of the instances of a problem on a device.
class FeatureMaker {
 public:
  explicit FeatureMaker(PlanContext& context);

  /// The features of an instance of `shape` that is estimated to take `cost`.
  Features Of(const InstanceShape& shape, const Cost& cost, const Standing& standing) const;

 private:
  Features problem_ = {};       // of the problem and the device, and zeros
  std::size_t of_problem_ = 0;  // how many these are
  Extents extents_;
  double units_ = 1;           // of the device
  double tensors_cycles_ = 0;  // that all tensors take of what is behind L2
};

}  // namespace gridwise::model
