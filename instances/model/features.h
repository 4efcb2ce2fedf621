#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "core/launch/cost.h"
#include "core/launch/plan_context.h"
#include "core/launch/row_shape.h"

/// What models are told of a row that computes a problem: numbers of the true GEMMs of the
/// direction, of the target, of the row, of how they fit, and of the row's estimate.

namespace gridwise::model {

inline constexpr std::size_t kMaxFeatures = 80;
using Features = std::array<float, kMaxFeatures>;

/// Their names, in their order: as many as there are.
std::span<const std::string_view> FeatureNames();

/// Those of the rows of a problem on a device.
class FeatureMaker {
 public:
  explicit FeatureMaker(PlanContext& context);

  /// The features of a row of `shape` that is estimated to take `cost`, where the problem's least
  /// estimate is `least_cycles`.
  Features Of(const RowShape& shape, const Cost& cost, double least_cycles) const;

 private:
  Features problem_ = {};       // of the problem and the device, and zeros
  std::size_t of_problem_ = 0;  // how many these are
  double m_ = 1, n_ = 1, k_ = 1;
  double out_bytes_ = 1;       // of an element of the output
  double units_ = 1;           // of the device
  double tensors_cycles_ = 0;  // that all tensors take of what is behind L2
};

}  // namespace gridwise::model
