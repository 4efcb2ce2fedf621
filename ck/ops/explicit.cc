// SPDX-License-Identifier: MIT
#include "ck/ops/explicit.h"

#include <cstdint>
#include <string>
#include <variant>

#include "ck/ops/op.h"
#include "core/passes/plan_columns.h"

namespace gridwise::ck {
namespace {

std::int64_t BytesOfColumns(const ConvProblem& columns) {
  return columns.x_elements() * SizeOf(columns.type);
}

/// Reads the columns, at byte `at` of the workspace, instead of x.
void ReadColumns(std::int64_t at, LaunchPlan& plan) {
  for (KernelLaunch& launch : plan.launches) {
    for (KernelLaunch::Address& address : launch.addresses) {
      if (address.points_to.memory == Memory::kB) {
        address.points_to = {Memory::kWorkspace, at + address.points_to.offset};
      }
    }
  }
}

}  // namespace

Applicability ClassicFamily::CheckApplicability(std::size_t instance, PlanContext& context) const {
  const ConvProblem& problem = context.problem();
  Applicability applicability = instances_.CheckApplicability(instance, context);
  const InstanceInfo& info = Instances(problem.direction, context.device().gfx)[instance];
  const auto* const refusal = std::get_if<Refusal>(&applicability);
  if (refusal == nullptr || info.op != Name(Op::kExplicit)) return applicability;
  const auto columns = ColumnsProblem(problem);
  if (const auto* none = std::get_if<std::string>(&columns)) {
    return Refuse<"%s; and %s">(refusal->code(), refusal->reason(), *none);
  }
  const ConvProblem& of_columns = std::get<ConvProblem>(columns);
  const double columns_cycles = ColumnsCycles(problem, of_columns, context.device());
  if (columns_cycles > context.enough_cycles()) {
    return WithCycles({.resident = 1, .pass_cycles = columns_cycles});
  }
  PlanContext inner(of_columns, context.device(), context.options());
  applicability = instances_.CheckApplicability(instance, inner);
  if (auto* cost = std::get_if<Cost>(&applicability)) {
    cost->pass_cycles += columns_cycles;
    *cost = WithCycles(*cost);
  }
  return applicability;
}

LaunchPlan ClassicFamily::MakeLaunches(std::size_t instance, PlanContext& context) const {
  if (std::holds_alternative<Cost>(instances_.CheckApplicability(instance, context))) {
    return instances_.MakeLaunches(instance, context);
  }
  const ConvProblem& problem = context.problem();
  const ConvProblem columns = std::get<ConvProblem>(ColumnsProblem(problem));
  PlanContext inner(columns, context.device(), context.options());
  LaunchPlan plan = instances_.MakeLaunches(instance, inner);
  plan.cost = std::get<Cost>(CheckApplicability(instance, context));
  const MemoryOffset copy = {Memory::kWorkspace, plan.Reserve(BytesOfColumns(columns))};
  ReadColumns(copy.offset, plan);
  plan.launches.insert(
      plan.launches.begin(),
      MakeColumnsLaunch(problem, columns, context.device().gfx, {Memory::kB}, copy));
  return plan;
}

}  // namespace gridwise::ck
