// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/launch/part_kernel.h"
#include "core/planning/family.h"

namespace gridwise {

/// A family whose instances are one kernel each. It adds layout passes, splits problems that are
/// too large for a launch into parts, and adds up splits and terms.
class PartsFamily final : public KernelFamily {
 public:
  /// `usual`: usual_operands() of targets with instances.
  explicit PartsFamily(std::string name, const OperandForm* usual = nullptr)
      : name_(std::move(name)), usual_(usual) {}

  /// Adds an instance for a direction and target, after the existing ones.
  void Add(Direction direction, Gfx gfx, std::shared_ptr<const PartKernel> kernel,
           InstanceUse use = InstanceUse::kRanked);

  std::string_view name() const override { return name_; }
  std::span<const InstanceInfo> Instances(Direction direction, Gfx gfx) const override;
  const OperandForm* usual_operands(Gfx gfx) const override;
  Applicability CheckApplicability(std::size_t instance, PlanContext& context) const override;
  LaunchPlan MakeLaunches(std::size_t instance, PlanContext& context) const override;

 private:
  struct Table {
    std::vector<InstanceInfo> instances;
    std::vector<std::shared_ptr<const PartKernel>> kernels;
  };
  const Table& TableOf(Direction direction, Gfx gfx) const {
    return tables_[static_cast<std::size_t>(direction)][static_cast<std::size_t>(gfx)];
  }

  const std::string name_;
  const OperandForm* const usual_;
  std::array<std::array<Table, std::size(kAllGfx)>, std::size(kAllDirections)> tables_;
};

}  // namespace gridwise
