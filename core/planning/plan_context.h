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

/// The choices that a plan may make.
struct LaunchOptions {
  int splits = 0;  // workgroups that share the K of a tile; 0: the fastest number
  std::int64_t offset_limit = kOffsetLimit;  // bytes of a tensor that a launch may reach over
  bool adds = false;                         // splits are added in no order
  bool launch_per_sub_gemm = false;          // instead of one launch of all
};

/// A valid problem, and everything that is the same for all instances and computed once. Not
/// thread-safe.
class PlanContext {
 public:
  PlanContext(const ConvProblem& problem, const DeviceFacts& device, const LaunchOptions& options);

  const ConvProblem& problem() const { return problem_; }
  const DeviceFacts& device() const { return device_; }
  const LaunchOptions& options() const { return options_; }

  /// The problem that kernels that need adjacent channels compute in place of the original.
  struct Canonical {
    /// Passes before and after (core/passes) transpose NGCHW to NHWGC and back. Axes are merged
    /// (core/rewrite/simplify.h) and few channels folded (core/rewrite/fold.h). For few output
    /// channels, taps are columns (core/rewrite/tap_columns.h).
    ConvProblem problem;
    /// Estimated cycles of those passes.
    double pass_cycles;
    /// Clocks of device memory for the canonical problem's tensors, each once, or of the Infinity
    /// Cache if it can hold them; 0 if there is none.
    double tensor_cycles;
    /// Kernels write sums, from which a pass makes the output.
    bool writes_sums;
    /// Groups of the problem that are merged into one of the canonical problem.
    std::int64_t merged_groups;
  };
  const Canonical& canonical(Pixels pixels);
  const ConvProblem& canonical_problem() const { return canonical_.problem; }

  /// Estimates that are certain to exceed this need not be exact; infinite at first.
  double enough_cycles() const { return enough_cycles_; }
  void set_enough_cycles(double cycles) { enough_cycles_ = cycles; }

  /// MakeSubGemms(part), for a part of a canonical problem. Valid until the next call.
  std::span<const SubGemm> SubGemmsOf(const ConvProblem& part);

 private:
  const ConvProblem problem_;
  const DeviceFacts device_;
  const LaunchOptions options_;
  const Canonical canonical_;  // for Pixels::kSpaced
  // For the other forms, computed on first use.
  std::optional<Canonical> groups_apart_, as_they_are_, floats_, taps_, parts_;
  std::optional<std::vector<SubGemm>> sub_gemms_;  // of simple_.problem
  std::vector<SubGemm> of_part_;
  double enough_cycles_ = std::numeric_limits<double>::infinity();
};

}  // namespace gridwise
