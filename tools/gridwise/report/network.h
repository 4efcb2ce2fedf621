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
  /// Bytes of its operands, its output and the workspace. 0 without a plan.
  std::int64_t memory_bytes() const;
  /// The time of one more pass over its output, which reads and writes it, of all occurrences. 0 if
  /// it is no forward convolution, to which such passes are usually fused.
  double pass_us(const DeviceFacts& device) const;
};

/// The layers in the order in which they first occur; the directions of a layer one after the
/// other.
struct Network {
  std::string name;
  DeviceFacts device;
  std::vector<PlannedLayer> layers;

  double total_us() const;
  /// The time in which the device could at best compute all of them: that of their rooflines.
  double bound_us() const;
  /// Of all occurrences.
  std::int64_t convolutions() const;
  /// The time of one more pass over each forward layer's output. A fused epilogue saves as much for
  /// each function that it applies.
  double pass_us() const;
  /// The largest workspace of a layer's plan.
  std::int64_t workspace_bytes() const;
  /// The most memory that a layer needs at a time.
  std::int64_t memory_bytes() const;

  /// A table with a line for each layer, and a summary; names in it are cut to fit.
  std::string ToText() const;
  llvm::json::Object ToJson() const;
};

/// The same layers on two devices: a table of both times of each layer, and both summaries.
std::string CompareText(const Network& a, const Network& b);

/// The document of `--json`: that of `network`, and as its "compared_with" that of `other` if it is
/// not null.
llvm::json::Object ToJson(const Network& network, const Network* other);
/// A page that shows this document.
std::string ToPage(const Network& network, const Network* other);

/// Plans the problems on the device.
Network PlanNetwork(std::string name, std::vector<SelectedProblem> problems,
                    const DeviceFacts& device, const PlanOptions& options);

}  // namespace gridwise
