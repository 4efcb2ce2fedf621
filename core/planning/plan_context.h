#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/arch/device_facts.h"
#include "core/conv/gemm_map.h"
#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "core/passes/layout_passes.h"

namespace gridwise {

/// What a plan may choose.
struct LaunchOptions {
  int splits = 0;  // workgroups that share the K of a tile; 0: the fastest number
  std::int64_t offset_limit = kOffsetLimit;  // bytes of a tensor that a launch may reach over
  bool adds = false;                         // splits are added in no order
  bool launch_per_sub_gemm = false;          // in place of one launch of all
};

/// A valid problem that instances are asked about, and what they have in common, which is computed
/// once. Not for several threads at a time.
class PlanContext {
 public:
  PlanContext(const ConvProblem& problem, const DeviceFacts& device, const LaunchOptions& options);

  const ConvProblem& problem() const { return problem_; }
  const DeviceFacts& device() const { return device_; }
  const LaunchOptions& options() const { return options_; }

  /// What kernels that want neighbouring channels compute in place of the problem.
  struct Canonical {
    /// Passes before and after (core/passes) transpose NGCHW to NHWGC and back, axes are merged
    /// (core/rewrite/simplify.h), few channels folded (core/rewrite/fold.h), and for few channels
    /// of the output taps are columns (core/rewrite/tap_columns.h).
    ConvProblem problem;
    /// Estimated cycles of those passes.
    double pass_cycles;
    /// Clocks that device memory takes for the canonical problem's tensors, once each, or the
    /// Infinity Cache if it can hold them; 0 where there is none.
    double tensor_cycles;
    /// Kernels write sums of it that a pass makes the output of.
    bool writes_sums;
    /// Groups of the problem that are one of the canonical problem's.
    std::int64_t merged_groups;
  };
  const Canonical& canonical(Pixels pixels);
  const ConvProblem& canonical_problem() const { return canonical_.problem; }

  /// Instances whose estimates are sure to be above need not be estimated better; infinite at
  /// first.
  double enough_cycles() const { return enough_cycles_; }
  void set_enough_cycles(double cycles) { enough_cycles_ = cycles; }

  /// MakeSubGemms(part), of a part of a canonical problem; valid until the next call.
  std::span<const SubGemm> SubGemmsOf(const ConvProblem& part);

 private:
  const ConvProblem problem_;
  const DeviceFacts device_;
  const LaunchOptions options_;
  const Canonical canonical_;  // of Pixels::kSpaced
  // Of the others, once they are asked for.
  std::optional<Canonical> groups_apart_, as_they_are_, floats_, taps_, parts_;
  std::optional<std::vector<SubGemm>> sub_gemms_;  // of simple_.problem
  std::vector<SubGemm> of_part_;
  double enough_cycles_ = std::numeric_limits<double>::infinity();
};

}  // namespace gridwise
