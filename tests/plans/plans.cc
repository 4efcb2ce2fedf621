// SPDX-License-Identifier: MIT
#include "tests/plans/plans.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "core/estimate/choose_block_map.h"
#include "core/launch/launch.h"
#include "gridwise/conv.h"

namespace gridwise {
namespace {

constexpr DataType kTypes[] = {DataType::kF16, DataType::kF32, DataType::kTF32, DataType::kI8};

/// Whether the types of a target's plans include `type`. Without instances for tf32 the plans are
/// those of f32.
bool Plans(Gfx gfx, DataType type) { return type != DataType::kTF32 || HasType(gfx, type); }

/// The order in which workgroups take tiles, of the first launch that has one.
std::string OrderOf(const Plan& plan) {
  for (const KernelLaunch& launch : plan.launch_plan().launches) {
    if (launch.map) return ToString(*launch.map);
  }
  return "-";
}

}  // namespace

absl::StatusOr<std::string> PrintPlans(const std::string& set, Gfx gfx) {
  const absl::StatusOr<std::vector<NamedProblem>> problems =
      ReadProblems(absl::StrCat("tests/problems/", set, ".csv"));
  if (!problems.ok()) return problems.status();
  std::string text = "problem, direction, type: instance, splits, launches, workspace, order\n";
  for (const NamedProblem& named : *problems) {
    for (const Direction direction : named.directions) {
      for (const DataType type : kTypes) {
        if (!Plans(gfx, type) || !TakesType(direction, type)) continue;
        ConvProblem problem = named.problem;
        problem.direction = direction;
        problem.type = type;
        const absl::StatusOr<Plan> plan = MakePlan(problem, gfx);
        if (!plan.ok()) return plan.status();
        absl::StrAppendFormat(&text, "%s, %s, %s: %s, %d, %d, %d, %s\n", named.name,
                              Name(direction), Name(type), plan->instance(), plan->splits(),
                              plan->launches(), plan->workspace_bytes(), OrderOf(*plan));
      }
    }
  }
  return text;
}

}  // namespace gridwise
