// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/conv/problem.h"
#include "gridwise/conv.h"

/// Plans as lines of text, for files of chosen kernels. A line names the choice. The library
/// computes the launches again when it reads the line.

namespace gridwise {

/// Returns one line of ASCII text, without a newline: the library's version, the problem, the
/// device, the plan's options and a checksum. Each is key=value; defaults are left out:
///
///   gridwise=0.2.0 direction=fwd type=f16 batch=2 c=64 k=64 in=1x16x16 filter=1x3x3 pad=0x1x1
///   device=gfx942 units=304 xcds=8 clock=2.1 memory=5300 family=tile instance=f16_t64x16x32_...
///   sum=7f3a
///
/// Numbers round-trip: reading them gives the same value.
std::string PrintPlan(const Plan& plan);

/// Returns the plan that PrintPlan wrote as `line`. ParsePlan(PrintPlan(plan)) launches the same
/// kernels.
///
/// Errors: kInvalidArgument if `line` is not such a line or is damaged, kFailedPrecondition if it
/// is of another version of the library, and those of MakePlan. MakePlan fails if no family has an
/// instance of that name any more, or if the instance does not compute the problem.
absl::StatusOr<Plan> ParsePlan(std::string_view line);

/// Returns the part of such a line that describes the problem.
std::string PrintProblemPart(const ConvProblem& problem);
/// Returns the problem that such a part describes. It accepts the keys in any order. A missing key
/// has its default.
absl::StatusOr<ConvProblem> ParseProblemPart(std::string_view text);

}  // namespace gridwise
