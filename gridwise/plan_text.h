#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/conv/problem.h"
#include "gridwise/conv.h"

/// Plans as lines of text, for files that choose kernels: what was chosen, not how it is launched,
/// which the library works out again.

namespace gridwise {

/// One line without its end, ASCII: the library's version, the problem, the device, and what makes
/// the plan, each as key=value where it is not its default, and a checksum:
///
///   gridwise=0.2.0 direction=fwd type=f16 batch=2 c=64 k=64 in=1x16x16 filter=1x3x3 pad=0x1x1
///   device=gfx942 units=304 XCDs=8 clock=2.1 memory=5300 family=tile instance=f16_t64x16x32_...
///   sum=7f3a
///
/// Numbers are written such that they are read as the same value.
std::string PrintPlan(const Plan& plan);

/// The plan that PrintPlan wrote as `line`: ParsePlan(PrintPlan(plan)) launches the same kernels.
/// Errors: kInvalidArgument for a line that is none or is damaged, kFailedPrecondition for one of
/// another version of the library, and MakePlan's: where no family has an instance of its name any
/// more, or the instance does not compute the problem.
absl::StatusOr<Plan> ParsePlan(std::string_view line);

/// The problem's part of such a line, and the problem that it is; ParseProblemPart takes the keys
/// in any order, and any that is missing for its default.
std::string PrintProblemPart(const ConvProblem& problem);
absl::StatusOr<ConvProblem> ParseProblemPart(std::string_view text);

}  // namespace gridwise
