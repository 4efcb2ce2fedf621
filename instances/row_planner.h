#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/arch/target.h"
#include "core/conv/cost.h"
#include "core/conv/parts.h"
#include "core/conv/problem.h"
#include "instances/steps.h"

namespace gridwise {

/// What a plan may choose.
struct RowOptions {
  int splits;                 // workgroups that share the K of a tile; 0: the fastest number
  std::int64_t offset_limit;  // bytes of a tensor that one launch may reach over in a tile
  bool adds;                  // splits are added in no order
};

/// How a row computes a problem, or why it cannot.
using Verdict = std::variant<std::string, RowPlan>;

/// Plans a problem for the rows of its direction; what they share is computed once. Where a tensor
/// is too large for a row's offsets, it computes the problem in parts.
class RowPlanner {
 public:
  RowPlanner(const ConvProblem& problem, Gfx gfx, const RowOptions& options);

  Verdict PlanFor(const Row& row);

 private:
  /// Appends what computes `part`, as terms `term`, ..., `end` - 1 of its sums, or gives the reason
  /// why that cannot be.
  std::optional<std::string> AddPart(const Row& row, const ConvPart& part, int term, RowPlan& plan,
                                     int& end);
  std::optional<std::string> AddHalves(const Row& row, const ConvPart& part,
                                       const tile::Excess& excess, int term, RowPlan& plan,
                                       int& end);
  std::optional<tile::Excess> TooLarge(const Row& row, const ConvProblem& part) const;
  KernelPlan PlanKernel(const Row& row, const ConvProblem& part, int splits, bool is_partial);

  const ConvProblem problem_;
  const double pass_cycles_;
  const Gfx gfx_;
  const RowOptions options_;
  std::vector<SubGemm> sub_gemms_;  // of the whole problem
};

}  // namespace gridwise
