// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <list>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "core/arch/device_facts.h"
#include "core/base/recent.h"
#include "core/conv/gemm_map.h"
#include "core/conv/problem.h"
#include "core/cost/fitted_constants.h"
#include "core/launch/part_kernel.h"
#include "core/passes/layout_passes.h"
#include "core/passes/operand_form.h"
#include "core/rewrite/parts.h"

namespace gridwise {

/// Options of a plan's launches.
struct LaunchOptions {
  int splits = 0;  // workgroups that share the K of a tile; 0: the fastest number
  std::int64_t offset_limit = kOffsetLimit;  // bytes of a tensor that a launch may address
  bool adds = false;                         // splits are added atomically, in any order
  bool launch_per_sub_gemm = false;          // instead of one launch for all
  const FittedConstants* fits = nullptr;  // constants of estimates in place of the built-in ones;
                                          // must outlive the context
};

/// A valid problem, and the values that all its instances share, which are computed once. Not
/// thread-safe.
class PlanContext {
 public:
  /// `usual`: the form of most instances of the target.
  PlanContext(const ConvProblem& problem, const DeviceFacts& device, const LaunchOptions& options,
              const OperandForm& usual = AdjacentChannels());

  const ConvProblem& problem() const { return problem_; }
  const DeviceFacts& device() const { return device_; }
  const LaunchOptions& options() const { return options_; }

  /// The equivalent problem for kernels that need operands in a form.
  struct Canonical {
    /// It differs from the original problem as follows:
    ///   - Passes before and after (core/passes) transpose NGCHW to NHWGC and back.
    ///   - Axes are merged (core/rewrite/canonicalize.h).
    ///   - Few channels are folded (core/rewrite/fold.h).
    ///   - For few channels of the output, taps are columns (core/rewrite/tap_columns.h).
    ConvPart whole;
    const ConvProblem& problem() const { return whole.problem; }
    /// Estimated cycles of those passes.
    double pass_cycles;
    /// Cycles to move each of the canonical problem's tensors once between L2 and device memory, or
    /// the Infinity Cache if it can hold them. 0 on targets without that cache.
    double tensor_cycles;
    /// Whether kernels write sums that a pass converts to the output.
    bool writes_sums;
    /// The number of the problem's groups that form one group of the canonical problem.
    std::int64_t merged_groups;
  };
  /// Valid as long as the context.
  const Canonical& canonical(const OperandForm& form);
  /// In the usual form.
  const ConvProblem& canonical_problem() const { return canonical_.problem(); }

  /// An estimate need not be exact if it certainly exceeds this value. Initially infinite.
  double enough_cycles() const { return enough_cycles_; }
  void set_enough_cycles(double cycles) { enough_cycles_ = cycles; }

  /// Returns MakeSubGemms(part) of a part of a canonical problem. Valid until the next call.
  std::span<const SubGemm> FindSubGemms(const ConvProblem& part);
  /// Returns CutImages(part, images). Valid until the next call.
  const std::vector<ConvPart>& FindCut(const ConvPart& part, std::int64_t images);

 private:
  const ConvProblem problem_;
  const DeviceFacts device_;
  const LaunchOptions options_;
  const OperandForm& usual_;
  const Canonical canonical_;                                   // in that form
  std::list<std::pair<const OperandForm*, Canonical>> others_;  // computed on first use
  // What instances ask for one after the other.
  Recent<std::tuple<Direction, std::int64_t, std::array<Dim, 3>>, std::vector<SubGemm>> sub_gemms_;
  Recent<std::tuple<std::int64_t, ConvPart>, std::vector<ConvPart>> cuts_;
  double enough_cycles_ = std::numeric_limits<double>::infinity();
};

}  // namespace gridwise
