// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/reference/compare.h"
#include "core/reference/expected.h"
#include "gridwise/plan.h"
#include "tools/gridwise/problem/problem.h"
#include "tools/gridwise/run/sim_report.h"

namespace gridwise {

/// The input tensors of a problem, rounded to their types. `d` are those of the epilogue, and
/// `added` those that are added to the operands.
struct Operands {
  std::vector<float> a, b, d[2], added[2];
};

/// Returns operands of `problem` from RandomTensor, without those that kernels of the target read
/// in two ways (FlushAmbiguous).
Operands RandomOperands(const Problem& problem, Gfx gfx, uint64_t seed);

/// The result of a run on the device.
struct Outcome {
  std::vector<std::byte> out;  // elements of the problem's output_type()
  double seconds = 0;          // from the launch to the end of its work
  std::optional<SimRun> sim;
};

/// Runs `plan`, a plan of `problem`, on the first device of its target. Bytes of the output that it
/// does not write have the value PoisonByte.
absl::StatusOr<Outcome> Compute(const Problem& problem, const InstancePlan& plan,
                                const Operands& operands);

/// Computes the result by the problem's definition, on all cores of the host.
absl::StatusOr<Expected> Expect(const Problem& problem, const Operands& operands);

/// The errors of a result. `status` is a sentence if they exceed the tolerance.
struct Judgement {
  ErrorStats stats;
  absl::Status status;
};
Judgement Judge(const Problem& problem, const Outcome& outcome, const Expected& expected);

}  // namespace gridwise
