// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/arch/device_facts.h"
#include "core/cost/cost.h"
#include "core/launch/refusal.h"

namespace gridwise {

// The content of a plan, which users do not need: core/launch/launch.h.
struct LaunchPlan;
struct GemmShape;

/// Options of MakePlan and RankPlans: which plans they may return, and how they rank them.
struct PlanOptions {
  std::string instance = {};  // use this instance; empty: any
  std::string family = {};    // use instances of this family; empty: any
  std::string op = {};        // use instances of this op of a family; empty: any
  /// The bytes of a tensor that one launch may address from a tile (in backward-weight, from an
  /// image). Larger tensors are computed in parts. At most 2^31; tests use smaller values.
  std::int64_t offset_limit = std::int64_t{1} << 31;
  /// Workgroups that share the K of a tile. 0: the number that is estimated to be fastest. A
  /// smaller number is less exact than core/reference/compare.h requires if one workgroup on sm_90a
  /// sums more than 25,600 products.
  int splits = 0;
  /// Splits add their sums atomically to one f32 tensor. This takes less workspace and is not
  /// deterministic: the rounding of results depends on the order of the additions.
  bool atomic = false;
  /// The bytes of workspace that a plan may need. Without a limit, instances whose workspace fits
  /// next to the problem's tensors in device memory rank before others.
  std::optional<std::int64_t> workspace_limit = std::nullopt;
  bool model = true;  // rank by the model where it is better; false: only by the estimates
  /// Backward-data launches its sub-GEMMs one after the other, not all at once. This is only for
  /// comparisons.
  bool launch_per_sub_gemm = false;
};

/// How an instance computes a problem on a device. This is the common base of the plans of
/// convolutions (conv.h) and of matrix multiplications (gemm.h). A value that is cheap to copy. It
/// needs no device.
class InstancePlan {
 public:
  /// Requires that `options` name the instance and its family.
  InstancePlan(const DeviceFacts& device, PlanOptions options, LaunchPlan launches);

  /// Returns the device that the plan was made for. The plan loads on any device of the same
  /// target; the other facts only affect how good the plan is.
  const DeviceFacts& device() const;
  Gfx gfx() const { return device().gfx; }
  const std::string& instance() const { return options().instance; }
  const std::string& family() const { return options().family; }
  /// Returns the options that the plan was made with, plus its instance and family. With these
  /// options MakePlan returns the same plan again.
  const PlanOptions& options() const;
  /// Returns the estimated cost, in cycles of the device's peak clock.
  const Cost& cost() const;
  /// Returns the bytes of workspace that Executable::Launch needs.
  std::int64_t workspace_bytes() const;
  /// Returns the number of workgroups of all launches.
  std::int64_t workgroups() const;
  /// Returns the number of kernel launches.
  int launches() const;
  /// Returns the number of workgroups that share the K of a tile.
  int splits() const;
  /// Returns the launches, in their order.
  const LaunchPlan& launch_plan() const;

  /// Returns the GEMMs of one group or matrix, in launch order. Those with k = 0 write zeros.
  const std::vector<GemmShape>& SubGemms() const;

  /// Returns several lines for people: instance, GEMMs (with a count of equal ones), workgroups and
  /// their order, launches, workspace, cost.
  std::string ToString() const;

 private:
  struct Data;
  std::shared_ptr<const Data> data_;
};

/// Returns whether the plan's workspace and tensors fit in the device's memory.
bool Fits(const LaunchPlan& plan, const DeviceFacts& device);

/// The value of InstanceExplanation::ranked_cycles for an instance that plans use only if it or its
/// op is requested.
inline constexpr double kNotRanked = std::numeric_limits<double>::infinity();

/// Whether and how well one instance computes a problem.
struct InstanceExplanation {
  std::string family, instance;
  std::optional<std::string> reason;       // why it cannot compute the problem; empty if it can
  RefusalCode code = RefusalCode::kOther;  // kind of `reason`
  Cost cost;                               // set if there is no reason
  double ranked_cycles = 0;                // by the model or the cost, or kNotRanked
  std::int64_t workspace_bytes = 0;        // workspace of its plan, if there is no reason
};

}  // namespace gridwise
