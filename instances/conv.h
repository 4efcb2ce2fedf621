#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ck/arch/target.h"
#include "ck/conv/cost.h"
#include "ck/conv/problem.h"
#include "ck/runtime/module.h"
#include "hip/hip_runtime_api.h"
#include "tile/plan_bwd_weight.h"
#include "tile/plan_gather.h"

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
};

/// Every compiled kernel.
std::vector<RowInfo> ListRows();

struct PlanOptions {
  std::string row;  // use this row; empty: the cheapest by Cost
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
  const Cost& cost() const { return launch().cost; }
  std::int64_t workspace_bytes() const { return launch().workspace_bytes; }
  std::int64_t workgroups() const {
    return std::int64_t{launch().workgroups[0]} * launch().workgroups[1];
  }
  int launches() const { return 1; }

  /// The GEMMs of one group, in the order of the launch. Those with k = 0 write zeros.
  std::vector<GemmShape> SubGemms() const;

  /// Several lines for people: row, GEMMs (equal ones counted), workgroups, launches, workspace,
  /// cost.
  std::string ToString() const;

 private:
  friend absl::StatusOr<Plan> MakePlan(const ConvProblem&, Gfx, const PlanOptions&);
  friend class Executable;

  const tile::LaunchPlan& launch() const;

  ConvProblem problem_;
  Gfx gfx_ = Gfx::k942;
  std::string row_;
  int row_index_ = 0;
  std::variant<tile::GatherPlan, tile::BwdWeightPlan> plan_;
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

/// Tensors in device memory, packed, see ConvProblem. Forward: a = x, b = w, out = y.
/// Backward-data: a = dy, b = w, out = dx.
struct ConvTensors {
  const void* a = nullptr;
  const void* b = nullptr;
  void* out = nullptr;
};

/// A plan whose kernel is loaded on a device. Movable.
class Executable {
 public:
  /// Loads the plan's kernel on the calling thread's current device, which must be of the plan's
  /// target.
  static absl::StatusOr<Executable> Load(const Plan& plan);

  /// Starts the convolution on `stream`. Every element of `out` is written; nothing else is.
  /// `workspace` is device memory of at least plan.workspace_bytes() that nothing else uses until
  /// the launch is done; null when that is 0.
  absl::Status Launch(const ConvTensors& tensors, void* workspace, std::int64_t workspace_bytes,
                      hipStream_t stream) const;

 private:
  Executable(Plan plan, Module module, hipFunction_t kernel)
      : plan_(std::move(plan)), module_(std::move(module)), kernel_(kernel) {}

  Plan plan_;
  Module module_;
  hipFunction_t kernel_;
};

}  // namespace gridwise
