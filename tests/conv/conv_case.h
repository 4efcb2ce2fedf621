// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/reference/expected.h"
#include "core/runtime/buffer.h"
#include "gridwise/conv.h"

namespace gridwise {

/// A problem with seeded operands on the current device, and what its output must be.
class ConvCase {
 public:
  /// Operands are real numbers in [-1, 1), rounded to the problem's type, but for `not_finite`
  /// elements, which are infinities or NaN: not of i8, nor where the epilogue makes numbers of
  /// them.
  static absl::StatusOr<ConvCase> Make(const ConvProblem& problem, unsigned seed,
                                       int not_finite = 0);

  /// Fills the output and the margins around it with NaN, calls `launch`, waits for the device, and
  /// checks that the margins are untouched and every element is as expected within the
  /// tolerance of core/reference/compare.h.
  absl::Status Check(absl::FunctionRef<absl::Status(const ConvTensors&)> launch) const;

  /// Check() of the plan on the current device, with a poisoned workspace of exactly the plan's
  /// size.
  absl::Status CheckPlan(const Plan& plan) const;

  const ConvProblem& problem() const { return problem_; }

 private:
  ConvProblem problem_;
  DeviceBuffer a_, b_, d_[2], added_[2];
  Expected expected_;
};

/// The target that this test run is for, from GRIDWISE_TEST_TARGET; makes its device the current
/// one.
absl::StatusOr<Gfx> UseTestTarget();

/// `problem`, or where kernels compute more than `max_flops` for it the problem with fewer images
/// and then smaller ones.
ConvProblem Shrink(ConvProblem problem, double max_flops);

}  // namespace gridwise
