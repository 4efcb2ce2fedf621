#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/conv/cost.h"
#include "core/conv/problem.h"
#include "core/runtime/module.h"
#include "hip/hip_runtime_api.h"
#include "instances/steps.h"
#include "tile/launch_plan.h"

/// The public API. A problem becomes a plan on the host, without a device; a plan becomes an
/// executable on a device; an executable is launched on tensors, any number of times, without
/// allocating.
///
///   ASSIGN_OR_RETURN(Plan plan, MakePlan(problem, Gfx::k942));
///   ASSIGN_OR_RETURN(Executable conv, Executable::Load(plan));
///   RETURN_IF_ERROR(conv.Launch({.a = dy, .b = w, .out = dx}, workspace, plan.workspace_bytes(),
///   stream));

namespace gridwise {

/// A kernel of the library: a row of a table, compiled for a target.
struct RowInfo {
  std::string name;  // its config, printed; unique within a direction
  Direction direction;
  Gfx gfx;
  std::string_view code;  // the code object (ELF) that holds it; empty if the program has none
  std::string symbol;     // what it is called there
};

/// Every kernel that is compiled for some target.
std::vector<RowInfo> ListRows();

struct PlanOptions {
  std::string row = {};  // use this row; empty: the cheapest by Cost
  /// Bytes of a tensor that a tile, or of backward-weight an image, may reach over in one launch:
  /// larger tensors are computed in parts. At most 2^31; less is for tests.
  std::int64_t offset_limit = tile::kOffsetLimit;
  /// Workgroups that share the K of a tile; 0: as many as are estimated to be fastest.
  int splits = 0;
  /// Splits add their sums to one f32 tensor as they come, which takes less workspace, and is not
  /// deterministic: results differ in the order that sums are rounded in.
  bool atomic = false;
};

/// D[m][n] = sum over k, of one group.
struct GemmShape {
  std::int64_t m, n, k;
  bool operator==(const GemmShape&) const = default;
};

/// How a problem is computed on a target. A value; needs no device.
class Plan {
 public:
  const ConvProblem& problem() const { return problem_; }
  Gfx gfx() const { return gfx_; }
  const std::string& row() const { return row_; }
  const Cost& cost() const { return cost_; }
  std::int64_t workspace_bytes() const { return steps_.workspace_bytes; }
  /// Of all launches.
  std::int64_t workgroups() const;
  int launches() const { return static_cast<int>(steps_.steps.size()); }
  int splits() const { return splits_; }

  /// The GEMMs of one group, in the order of the launch. Those with k = 0 write zeros.
  const std::vector<GemmShape>& SubGemms() const { return gemms_; }

  /// Several lines for people: row, GEMMs (equal ones counted), workgroups, launches, workspace,
  /// cost.
  std::string ToString() const;

 private:
  friend absl::StatusOr<Plan> MakePlan(const ConvProblem&, Gfx, const PlanOptions&);
  friend class Executable;

  ConvProblem problem_;
  Gfx gfx_ = Gfx::k942;
  std::string row_;
  int splits_ = 1;
  Cost cost_;
  std::vector<GemmShape> gemms_;
  Steps steps_;
};

/// Plans `problem` for `gfx`. Errors: kInvalidArgument for an invalid problem or an unknown row,
/// and kUnimplemented, with every row's reason, when no row accepts it.
absl::StatusOr<Plan> MakePlan(const ConvProblem& problem, Gfx gfx, const PlanOptions& options = {});

/// One row's answer to a problem.
struct RowVerdict {
  std::string row;
  std::optional<std::string> reason;  // why it cannot compute the problem; nothing if it can
  Cost cost;                          // if it can
};

/// What every row of the problem's direction and type says to a valid problem.
std::vector<RowVerdict> ExplainRows(const ConvProblem& problem, Gfx gfx);

/// Tensors in device memory, see ConvProblem. Forward: a = x, b = w, out = y. Backward-data: a =
/// dy, b = w, out = dx. Backward-weight: a = dy, b = x, out = dw. d0 and d1: those of the epilogue.
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
  /// target.
  static absl::StatusOr<Executable> Load(const Plan& plan);

  /// Starts the convolution on `stream`. Every element of `out` is written; nothing else is.
  /// `workspace` is device memory of at least plan.workspace_bytes() that nothing else uses until
  /// the launch is done; null when that is 0.
  absl::Status Launch(const ConvTensors& tensors, void* workspace, std::int64_t workspace_bytes,
                      hipStream_t stream) const;

 private:
  explicit Executable(Plan plan) : plan_(std::move(plan)) {}

  Plan plan_;
  std::vector<Module> modules_;         // of the steps
  std::vector<hipFunction_t> kernels_;  //
};

}  // namespace gridwise
