#pragma once

#include <cstdint>

#include "core/arch/device_facts.h"
#include "core/conv/problem.h"
#include "core/launch/launch.h"
#include "core/launch/part_kernel.h"
#include "core/passes/prepare.h"
#include "core/passes/tma_operands.h"

namespace gridwise {

/// The tensors of a problem.
struct Places {
  Place a = {Memory::kA}, b = {Memory::kB}, out = {Memory::kOut};
  Place d[2] = {{Memory::kD0}, {Memory::kD1}};
  // What A and B are sums with; where B is in parts, b1 is B as it is.
  Place a1 = {Memory::kA1}, b1 = {Memory::kB1};
  // A and B, whose taps or pixels a copy may have moved apart.
  Place whole_a = a, whole_b = b;
};

/// What kernels that want neighbouring channels compute for `problem`; LayoutPasses make the
/// tensors in its layouts. For a target with TMA, which wants multiples of 16 bytes,
/// pixels of operands are that far apart; and 8-bit floats are f16, or bf16, there.
ConvProblem CanonicalProblem(const ConvProblem& problem, Gfx gfx, Pixels pixels = Pixels::kSpaced);

/// Of Pixels::kParts: elements from one part of B of that problem to the next, in the order of B.
std::int64_t PartElements(const ConvProblem& canonical);

/// That, and what comes with it.
struct CanonicalForm {
  ConvProblem problem;
  /// Estimated cycles of the passes.
  double pass_cycles;
  /// Kernels write no output but f32 sums, of a single split as well, of which
  /// LayoutPasses::AddSums makes it: taps of the filter are columns (core/rewrite/tap_columns.h) or
  /// rows (core/rewrite/tap_rows.h).
  bool writes_sums;
  /// Groups that are one of the problem's: all that w has for a group, and NaN stays in it.
  std::int64_t merged_groups;
};
CanonicalForm CanonicalFormOf(const ConvProblem& problem, const DeviceFacts& device,
                              Pixels pixels = Pixels::kSpaced);

/// The launches that compute a problem without images: none, but of backward-weight those that make
/// dw of sums of 0.
LaunchPlan PlanEmptyBatch(const ConvProblem& problem, Gfx gfx);

/// The launches before and after those that compute CanonicalProblem(problem): NGCHW is transposed
/// to NHWGC and back, x of few channels is padded, and so are pixels that TMA cannot take; w is put
/// in the order that taps have as columns, and dy gets channels of taps that are rows.
class LayoutPasses {
 public:
  LayoutPasses(const ConvProblem& problem, Gfx gfx, Pixels pixels = Pixels::kSpaced)
      : problem_(problem), gfx_(gfx), pixels_(pixels) {}

  /// Appends those before, with their copies in the workspace; returns where the canonical
  /// problem's tensors are.
  Places AddBefore(LaunchPlan& plan) const;

  /// Appends those that make the output of `splits` f32 sums of it, which are at byte `sums_at` of
  /// the workspace.
  void AddSums(int splits, std::int64_t sums_at, const Places& places, LaunchPlan& plan) const;

  /// Appends those after, where `places` are what AddBefore returned.
  void AddAfter(const Places& places, LaunchPlan& plan) const;

 private:
  const ConvProblem& problem_;
  const Gfx gfx_;
  const Pixels pixels_;
};

}  // namespace gridwise
