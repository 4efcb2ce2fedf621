// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/planning/family.h"
#include "core/planning/parts_family.h"

namespace gridwise::ck {

/// The classic family: instances of kernels. Those of the op `explicit` take every backward-weight
/// problem. If the tensors themselves are not plain matrices, a pass writes x as columns to the
/// workspace (core/passes/plan_columns.h), and the instance computes the 1x1 problem on these
/// columns.
class ClassicFamily final : public KernelFamily {
 public:
  /// `instances` must outlive the family.
  explicit ClassicFamily(const PartsFamily& instances) : instances_(instances) {}

  std::string_view name() const override { return instances_.name(); }
  std::span<const InstanceInfo> Instances(Direction direction, Gfx gfx) const override {
    return instances_.Instances(direction, gfx);
  }
  Applicability CheckApplicability(std::size_t instance, PlanContext& context) const override;
  LaunchPlan MakeLaunches(std::size_t instance, PlanContext& context) const override;

 private:
  const PartsFamily& instances_;
};

}  // namespace gridwise::ck
