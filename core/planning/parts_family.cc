// SPDX-License-Identifier: MIT
#include "core/planning/parts_family.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/planning/plan_parts.h"

namespace gridwise {

void PartsFamily::Add(Direction direction, Gfx gfx, std::shared_ptr<const PartKernel> kernel,
                      InstanceUse use) {
  Table& table = tables_[static_cast<std::size_t>(direction)][static_cast<std::size_t>(gfx)];
  table.instances.push_back({.family = name_,
                             .op = kernel->op(),
                             .name = kernel->name(),
                             .direction = direction,
                             .gfx = gfx,
                             .type = kernel->type(),
                             .code = kernel->code(),
                             .shape = kernel->shape(),
                             .use = use});
  table.kernels.push_back(std::move(kernel));
}

std::span<const InstanceInfo> PartsFamily::Instances(Direction direction, Gfx gfx) const {
  return TableOf(direction, gfx).instances;
}

const OperandForm* PartsFamily::usual_operands(Gfx gfx) const {
  const auto has_instances = [&](Direction direction) {
    return !TableOf(direction, gfx).instances.empty();
  };
  return std::any_of(std::begin(kAllDirections), std::end(kAllDirections), has_instances) ? usual_
                                                                                          : nullptr;
}

Applicability PartsFamily::CheckApplicability(std::size_t instance, PlanContext& context) const {
  const Table& table = TableOf(context.problem().direction, context.device().gfx);
  return EstimateInParts(*table.kernels[instance], context);
}

LaunchPlan PartsFamily::MakeLaunches(std::size_t instance, PlanContext& context) const {
  const Table& table = TableOf(context.problem().direction, context.device().gfx);
  return LaunchInParts(*table.kernels[instance], context);
}

}  // namespace gridwise
