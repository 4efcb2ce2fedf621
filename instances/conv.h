#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/device_facts.h"
#include "core/arch/tensor_map.h"
#include "core/conv/problem.h"
#include "core/launch/family.h"
#include "core/runtime/buffer.h"
#include "hip/hip_runtime_api.h"

/// The public API. A problem becomes a plan on the host, without a device; a plan becomes an
/// executable on a device; an executable is launched on tensors, any number of times, without
/// allocating.
///
///   ASSIGN_OR_RETURN(Plan plan, MakePlan(problem, Gfx::k942));
///   ASSIGN_OR_RETURN(Executable conv, Executable::Load(plan));
///   RETURN_IF_ERROR(conv.Launch({.a = dy, .b = w, .out = dx}, workspace, plan.workspace_bytes(),
///   stream));
///
/// Threads: all functions may be called from any thread, and const members of one object from
/// several at once.

namespace gridwise {

/// Every kernel that is compiled for some target, of every family.
std::vector<RowInfo> ListRows();

struct PlanOptions {
  std::string row = {};     // use this row; empty: the cheapest by Cost
  std::string family = {};  // use rows of this family; empty: of any
  std::string op = {};      // use rows of this op of a family; empty: of any
  /// Bytes of a tensor that a tile, or of backward-weight an image, may reach over in one launch:
  /// larger tensors are computed in parts. At most 2^31; less is for tests.
  std::int64_t offset_limit = kOffsetLimit;
  /// Workgroups that share the K of a tile; 0: as many as are estimated to be fastest.
  int splits = 0;
  /// Splits add their sums to one f32 tensor as they come, which takes less workspace, and is not
  /// deterministic: results differ in the order that sums are rounded in.
  bool atomic = false;
};

/// How a problem is computed on a target. A value, which is cheap to copy; needs no device.
class Plan {
 public:
  const ConvProblem& problem() const { return data_->problem; }
  /// The device it was made for, of which only the target must be that of the device it is loaded
  /// on; the others make it a good plan.
  const DeviceFacts& device() const { return data_->device; }
  Gfx gfx() const { return device().gfx; }
  const std::string& row() const { return options().row; }
  const std::string& family() const { return options().family; }
  /// Those that it was made with, of its row and family: MakePlan makes the same of them again.
  const PlanOptions& options() const { return data_->options; }
  const Cost& cost() const { return launch_plan().cost; }
  std::int64_t workspace_bytes() const { return launch_plan().workspace_bytes; }
  /// Of all launches.
  std::int64_t workgroups() const;
  int launches() const { return static_cast<int>(launch_plan().launches.size()); }
  int splits() const { return launch_plan().splits; }
  /// What is launched, in its order.
  const LaunchPlan& launch_plan() const { return data_->launches; }

  /// The GEMMs of one group, in the order of the launch. Those with k = 0 write zeros.
  const std::vector<GemmShape>& SubGemms() const { return launch_plan().gemms; }

  /// Several lines for people: row, GEMMs (equal ones counted), workgroups and their order,
  /// launches, workspace, cost.
  std::string ToString() const;

 private:
  friend absl::StatusOr<std::vector<Plan>> RankPlans(const ConvProblem&, const DeviceFacts&, int,
                                                     const PlanOptions&);
  struct Data {
    ConvProblem problem;
    DeviceFacts device;
    PlanOptions options;
    LaunchPlan launches;
  };

  explicit Plan(Data data) : data_(std::make_shared<const Data>(std::move(data))) {}

  std::shared_ptr<const Data> data_;
};

/// Plans `problem` for `device`: DeviceFacts of a real one (core/runtime/device.h), or a target,
/// which stands for its product. Errors: kInvalidArgument for an invalid problem, an unknown row or
/// family, and kUnimplemented, with every row's reason, when no row accepts it.
absl::StatusOr<Plan> MakePlan(const ConvProblem& problem, const DeviceFacts& device,
                              const PlanOptions& options = {});

/// The first `n` plans, by a row each, the cheapest by their estimates first: fewer, but at least
/// one, where fewer rows accept the problem. MakePlan's errors, and kInvalidArgument for n < 1.
absl::StatusOr<std::vector<Plan>> RankPlans(const ConvProblem& problem, const DeviceFacts& device,
                                            int n, const PlanOptions& options = {});

/// One row's answer to a problem.
struct RowVerdict {
  std::string family, row;
  std::optional<std::string> reason;  // why it cannot compute the problem; nothing if it can
  Cost cost;                          // if it can
};

/// What every row of the problem's direction and type says to a valid problem; `options.row` and
/// `options.family` narrow them.
std::vector<RowVerdict> ExplainRows(const ConvProblem& problem, const DeviceFacts& device,
                                    const PlanOptions& options = {});

/// Tensors in device memory, see ConvProblem. Forward: a = x, b = w, out = y. Backward-data: a =
/// dy, b = w, out = dx. Backward-weight: a = dy, b = x, out = dw. d0 and d1: those of the epilogue.
///
/// Each begins at a multiple of its elements' size. Kernels access up to 16 bytes at a time at any
/// such address, which buffer and global instructions allow in the unaligned mode that AMD's driver
/// sets (SH_MEM_CONFIG.alignment_mode); whole multiples of 16 bytes of channels are accessed
/// aligned where the tensor is. `out` and the workspace overlap no other tensor; the others may
/// overlap each other.
struct ConvTensors {
  const void* a = nullptr;
  const void* b = nullptr;
  void* out = nullptr;
  const void* d0 = nullptr;
  const void* d1 = nullptr;
};

/// A plan whose kernels are loaded on a device. Movable.
class Executable {
 public:
  /// Loads the plan's kernels on the calling thread's current device, which must be of the plan's
  /// target, and copies its tables there. Modules are loaded once per process and device, and stay
  /// loaded.
  static absl::StatusOr<Executable> Load(const Plan& plan);

  /// Starts the convolution on `stream`, of the device of Load, and returns: the work is done in
  /// the stream's order. Every element of `out` is written; nothing else is. `workspace` is device
  /// memory of at least plan.workspace_bytes(), 256-byte aligned as allocations are, that nothing
  /// else uses until the work is done; null when that is 0.
  ///
  /// It copies nothing from the host and allocates nothing, so that a stream may be captured in a
  /// graph. The executable must live until the work, or the graph's last, is done: kernels read its
  /// tables, whose memory its destructor frees.
  absl::Status Launch(const ConvTensors& tensors, void* workspace, std::int64_t workspace_bytes,
                      hipStream_t stream) const;

 private:
  Executable(Plan plan, DeviceBuffer table) : plan_(std::move(plan)), table_(std::move(table)) {}

  Plan plan_;
  DeviceBuffer table_;
  std::vector<hipFunction_t> kernels_;  // of the launches
  std::vector<TensorMap> maps_;         // of all launches, encoded but for their addresses
};

}  // namespace gridwise
