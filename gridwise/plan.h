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

// What a plan consists of: core/launch/launch.h, which its users do without.
struct LaunchPlan;
struct GemmShape;

struct PlanOptions {
  std::string instance = {};  // use this instance; empty: the one that is ranked first
  std::string family = {};    // use instances of this family; empty: of any
  std::string op = {};        // use instances of this op of a family; empty: of any
  /// Bytes of a tensor that a tile, or of backward-weight an image, may reach over in one launch:
  /// larger tensors are computed in parts. At most 2^31; less is for tests.
  std::int64_t offset_limit = std::int64_t{1} << 31;
  /// Workgroups that share the K of a tile; 0: as many as are estimated to be fastest. Fewer, of
  /// more than 25,600 products on sm_90a, are less exact than core/reference/compare.h asks.
  int splits = 0;
  /// Splits add their sums to one f32 tensor as they come, which takes less workspace, and is not
  /// deterministic: results differ in the order that sums are rounded in.
  bool atomic = false;
  /// Bytes of workspace that a plan may need: there is one with less or none. Nothing: instances
  /// whose workspace fits beside the problem's tensors in the device's memory come before others.
  std::optional<std::int64_t> workspace_limit = std::nullopt;
  bool model = true;  // ask the model where it is better; else rank by estimates alone
  /// Backward-data launches its sub-GEMMs one after the other in place of all at once: for
  /// comparison alone.
  bool launch_per_sub_gemm = false;
};

/// How an instance computes a problem on a device: what plans of convolutions (conv.h) and of
/// matrix multiplications (gemm.h) have in common. A value, which is cheap to copy; needs no
/// device.
class InstancePlan {
 public:
  /// `options` name the instance and its family.
  InstancePlan(const DeviceFacts& device, PlanOptions options, LaunchPlan launches);

  /// The device it was made for, of which only the target must be that of the device it is loaded
  /// on; the others make it a good plan.
  const DeviceFacts& device() const;
  Gfx gfx() const { return device().gfx; }
  const std::string& instance() const { return options().instance; }
  const std::string& family() const { return options().family; }
  /// Those that it was made with, of its instance and family: MakePlan makes the same of them
  /// again.
  const PlanOptions& options() const;
  const Cost& cost() const;
  std::int64_t workspace_bytes() const;
  /// Of all launches.
  std::int64_t workgroups() const;
  int launches() const;
  int splits() const;
  /// What is launched, in its order.
  const LaunchPlan& launch_plan() const;

  /// The GEMMs of one group or matrix, in the order of the launch. Those with k = 0 write zeros.
  const std::vector<GemmShape>& SubGemms() const;

  /// Several lines for people: instance, GEMMs (equal ones counted), workgroups and their order,
  /// launches, workspace, cost.
  std::string ToString() const;

 private:
  struct Data;
  std::shared_ptr<const Data> data_;
};

/// Whether the device's memory has room for the plan's workspace and tensors.
bool Fits(const LaunchPlan& plan, const DeviceFacts& device);

/// InstanceExplanation::ranked_cycles of an instance that plans pass over unless it or its op is
/// asked for.
inline constexpr double kNotRanked = std::numeric_limits<double>::infinity();

/// One instance's answer to a problem.
struct InstanceExplanation {
  std::string family, instance;
  std::optional<std::string> reason;       // why it cannot compute the problem; nothing if it can
  RefusalCode code = RefusalCode::kOther;  // of the reason
  Cost cost;                               // if it can
  double ranked_cycles = 0;                // by the model, or the cost's; or kNotRanked
  std::int64_t workspace_bytes = 0;        // of its plan, if it can
};

}  // namespace gridwise
