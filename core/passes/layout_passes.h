// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/arch/device_facts.h"
#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/launch/launch.h"
#include "core/passes/operand_form.h"

namespace gridwise {

/// Where the tensors of a problem are.
struct TensorOffsets {
  MemoryOffset a = {Memory::kA}, b = {Memory::kB}, out = {Memory::kOut};
  MemoryOffset d[2] = {{Memory::kD0}, {Memory::kD1}};
  // Addends of A and B. If B is in parts, b1 is B unchanged.
  MemoryOffset a1 = {Memory::kA1}, b1 = {Memory::kB1};
  // A and B before a copy that moved their taps or pixels apart.
  MemoryOffset whole_a = a, whole_b = b;
};

/// The problem that kernels that need operands in this form compute in place of `problem`;
/// LayoutPasses make the tensors in its layouts.
ConvProblem CanonicalProblem(const ConvProblem& problem, Gfx gfx,
                             const OperandForm& form = AdjacentChannels());

/// The type of B's parts (OperandForm::splits_b).
inline constexpr DataType kPartType = DataType::kBF16;

/// OperandForm::splits_b: elements from one part of B of that problem to the next, in the order
/// of B.
std::int64_t PartElements(const ConvProblem& canonical);

/// The canonical problem and its properties.
struct CanonicalForm {
  ConvProblem problem;
  /// Estimated cycles of all passes.
  double pass_cycles;
  /// Kernels write only f32 sums, even with a single split, and LayoutPasses::AddSums makes the
  /// output: taps of the filter are columns (core/rewrite/tap_columns.h) or rows
  /// (core/rewrite/tap_rows.h).
  bool writes_sums;
  /// Groups that are merged into one group of the problem: w has no other channels for it, and NaN
  /// stays in a group.
  std::int64_t merged_groups;
};
CanonicalForm MakeCanonicalForm(const ConvProblem& problem, const DeviceFacts& device,
                                const OperandForm& form = AdjacentChannels());

/// The launches that compute a problem without images: none, except in backward-weight, where they
/// make dw of sums of 0.
LaunchPlan PlanEmptyBatch(const ConvProblem& problem, Gfx gfx);

/// The launches before and after those that compute CanonicalProblem(problem). NGCHW is transposed
/// to NHWGC and back. x of few channels is padded, and so are pixels that TMA cannot load. w is put
/// in the order that taps have as columns, or transposed, and dy gets channels of taps that are
/// rows.
class LayoutPasses {
 public:
  LayoutPasses(const ConvProblem& problem, const DeviceFacts& device,
               const OperandForm& form = AdjacentChannels())
      : problem_(problem), device_(device), gfx_(device.gfx), form_(form) {}

  /// Appends the launches before, with their copies in the workspace. Returns where the canonical
  /// problem's tensors are.
  TensorOffsets AddBefore(LaunchPlan& plan) const;

  /// Appends the launches that make the output from `splits` f32 sums, which are at byte `sums_at`
  /// of the workspace.
  void AddSums(int splits, std::int64_t sums_at, const TensorOffsets& offsets,
               LaunchPlan& plan) const;

  /// Appends the launches after. `offsets` is the result of AddBefore.
  void AddAfter(const TensorOffsets& offsets, LaunchPlan& plan) const;

 private:
  const ConvProblem& problem_;
  const DeviceFacts device_;
  const Gfx gfx_;
  const OperandForm& form_;
};

}  // namespace gridwise
