#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/planning/family.h"
#include "core/planning/parts_family.h"

namespace gridwise::ck {

/// The classic family: rows of kernels, of which those of the op `explicit` take every
/// backward-weight problem. Where the tensors as they are make no plain matrices, a pass writes x
/// as columns to the workspace (core/passes/plan_columns.h), and the row computes the 1x1 problem
/// that these are.
class ClassicFamily final : public KernelFamily {
 public:
  /// `rows` live as long as the family.
  explicit ClassicFamily(const PartsFamily& rows) : rows_(rows) {}

  std::string_view name() const override { return rows_.name(); }
  std::span<const RowInfo> Rows(Direction direction, Gfx gfx) const override {
    return rows_.Rows(direction, gfx);
  }
  Verdict Ask(std::size_t row, PlanContext& context) const override;
  LaunchPlan MakeLaunches(std::size_t row, PlanContext& context) const override;

 private:
  const PartsFamily& rows_;
};

}  // namespace gridwise::ck
