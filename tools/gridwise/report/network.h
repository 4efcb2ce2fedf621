// SPDX-License-Identifier: MIT
/// What the convolutions of a network take together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/arch/device_facts.h"
#include "gridwise/plan.h"
#include "llvm/Support/JSON.h"
#include "tools/gridwise/problem/selection.h"
#include "tools/gridwise/run/timing.h"

namespace gridwise {

/// A convolution of a network, and its plan.
struct PlannedLayer {
  SelectedProblem selected;
  absl::StatusOr<InstancePlan> plan;
  std::optional<Timing> timing = std::nullopt;  // measured, or by the simulator's clock

  /// Microseconds of one launch: of `timing`, or else by the planner's estimate. Requires a plan.
  double us() const;
  /// Of all occurrences. 0 without a plan.
  double total_us() const;
  /// What limits it. Requires a plan.
  std::string limiter() const;
  /// The fraction of its roofline. Requires a plan.
  double of_bound() const;
};

/// The layers in the order in which they first occur; the directions of a layer one after the
/// other.
struct Network {
  std::string name;
  DeviceFacts device;
  std::vector<PlannedLayer> layers;

  double total_us() const;
  /// Of all occurrences.
  std::int64_t convolutions() const;
  /// The time of one more pass over each forward layer's output, which reads and writes it. A fused
  /// epilogue saves as much for each function that it applies.
  double pass_us() const;
  /// The largest workspace of a layer's plan.
  std::int64_t workspace_bytes() const;

  /// A table with a line for each layer, and a summary; names in it are cut to fit.
  std::string ToText() const;
  llvm::json::Object ToJson() const;
};

/// Plans the problems on the device.
Network PlanNetwork(std::string name, std::vector<SelectedProblem> problems,
                    const DeviceFacts& device, const PlanOptions& options);

}  // namespace gridwise
