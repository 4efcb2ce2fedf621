#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/reference/compare.h"
#include "core/reference/expected.h"
#include "gridwise/plan.h"
#include "tools/gridwise/problem/problem.h"
#include "tools/gridwise/run/sim_report.h"

namespace gridwise {

/// The tensors that a problem is computed from, rounded to their types; `d` are the epilogue's,
/// `added` those that operands are sums with.
struct Operands {
  std::vector<float> a, b, d[2], added[2];
};

/// Operands of `problem` from RandomTensor.
Operands RandomOperands(const Problem& problem, uint64_t seed);

/// What the device did.
struct Outcome {
  std::vector<std::byte> out;  // elements of the problem's output_type()
  double seconds = 0;          // from the launch to its end
  std::optional<SimRun> sim;
};

/// Runs `plan`, which is one of the problem, on the first device of its target. What it does not
/// write of its output is filled with PoisonByte.
absl::StatusOr<Outcome> Compute(const Problem& problem, const InstancePlan& plan,
                                const Operands& operands);

/// The result that the problem's definition gives, on all cores of the host.
absl::StatusOr<Expected> Expect(const Problem& problem, const Operands& operands);

/// How far a result is from what was expected, and whether that is a mistake: then a sentence.
struct Judgement {
  ErrorStats stats;
  absl::Status status;
};
Judgement Judge(const Problem& problem, const Outcome& outcome, const Expected& expected);

}  // namespace gridwise
