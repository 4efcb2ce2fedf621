// SPDX-License-Identifier: MIT
#include "gridwise/hipdnn/graph_plan.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "core/arch/device_facts.h"
#include "core/arch/target.h"
#include "core/base/math.h"
#include "core/base/types.h"
#include "core/launch/code.h"
#include "core/launch/launch.h"
#include "core/passes/copy_launches.h"
#include "core/runtime/device.h"

namespace gridwise::hipdnn {
namespace {

/// The alignment of allocations, which launches want of the workspace.
constexpr std::int64_t kAlignment = 256;

/// The device that plans are for, and its processor; "" if there is none.
struct PlanDevice {
  DeviceFacts facts;
  std::string processor;
};

absl::StatusOr<PlanDevice> CurrentPlanDevice() {
  const absl::StatusOr<DeviceInfo> device = CurrentDevice();
  if (absl::IsUnavailable(device.status()))
    return PlanDevice{.facts = kDefaultGfx[0], .processor = ""};
  if (!device.ok()) return device.status();
  const absl::StatusOr<DeviceFacts> facts = device->Facts();
  if (!facts.ok()) return facts.status();
  return PlanDevice{.facts = *facts, .processor = device->target};
}

absl::Status CheckKernels(const LaunchPlan& plan, const std::string& processor) {
  if (processor.empty()) return absl::OkStatus();
  for (const KernelLaunch& launch : plan.launches) {
    const absl::StatusOr<std::string_view> object = ObjectFor(launch.code, processor);
    if (!object.ok()) return object.status();
    if (object->empty()) {
      return absl::FailedPreconditionError(
          absl::StrFormat("the plugin was built without kernels for %s", processor));
    }
  }
  return absl::OkStatus();
}

bool IsWeightGradient(const ConvProblem& problem) {
  return problem.direction == Direction::kBackwardWeight;
}

/// The type of w or dw.
DataType WeightType(const ConvProblem& problem) {
  return IsWeightGradient(problem) ? problem.output_type() : problem.type;
}

/// [k][c/g][taps] to [k][taps][c/g], or back for a gradient.
LaunchPlan PlanTransposition(const ConvProblem& problem, Gfx gfx) {
  Matrices matrices = {
      .count = problem.k, .rows = problem.c_per_group(), .columns = problem.filter_taps()};
  if (IsWeightGradient(problem)) std::swap(matrices.rows, matrices.columns);
  LaunchPlan plan;
  plan.launches.push_back(
      MakeTransposeLaunch(gfx, WeightType(problem), matrices, {Memory::kA}, {Memory::kOut}));
  return plan;
}

}  // namespace

std::int64_t GraphPlan::copy_at() const { return AlignUp(plan.workspace_bytes(), kAlignment); }
std::int64_t GraphPlan::workspace_bytes() const {
  return transposition ? copy_at() + copy_bytes : plan.workspace_bytes();
}

absl::StatusOr<GraphPlan> PlanGraph(const ConvGraph& graph, const PlanOptions& options) {
  const absl::StatusOr<PlanDevice> device = CurrentPlanDevice();
  if (!device.ok()) return device.status();
  const ConvProblem& problem = graph.problem;
  const std::int64_t copy_bytes = problem.w_elements() * SizeOf(WeightType(problem));
  PlanOptions of_plan = options;
  if (graph.transposes_weights && options.workspace_limit) {
    *of_plan.workspace_limit -= copy_bytes + kAlignment;
    if (*of_plan.workspace_limit < 0) {
      return absl::ResourceExhaustedError(
          absl::StrFormat("the workspace is limited to %d bytes; a copy of w needs %d",
                          *options.workspace_limit, copy_bytes + kAlignment));
    }
  }
  absl::StatusOr<Plan> plan = MakePlan(problem, device->facts, of_plan);
  if (!plan.ok()) return plan.status();
  absl::Status status = CheckKernels(plan->launch_plan(), device->processor);
  if (!status.ok()) return status;
  GraphPlan result = {.graph = graph, .plan = *std::move(plan)};
  if (graph.transposes_weights) {
    result.transposition.emplace(device->facts,
                                 PlanOptions{.instance = "transpose", .family = "passes"},
                                 PlanTransposition(problem, device->facts.gfx));
    result.copy_bytes = copy_bytes;
  }
  return result;
}

std::vector<std::string> ListInstances(const ConvGraph& graph) {
  const absl::StatusOr<PlanDevice> device = CurrentPlanDevice();
  if (!device.ok()) return {};
  std::vector<InstanceExplanation> all = ExplainInstances(graph.problem, device->facts);
  std::erase_if(all, [](const InstanceExplanation& one) { return one.reason.has_value(); });
  std::stable_sort(all.begin(), all.end(), [](const auto& one, const auto& other) {
    return one.ranked_cycles < other.ranked_cycles;
  });
  std::vector<std::string> names;
  for (const InstanceExplanation& one : all) names.push_back(one.instance);
  return names;
}

LoadedGraph::LoadedGraph(GraphPlan plan, Executable convolution,
                         std::optional<Executable> transposition)
    : plan_(std::move(plan)),
      convolution_(std::move(convolution)),
      transposition_(std::move(transposition)) {}

absl::StatusOr<LoadedGraph> LoadedGraph::Load(GraphPlan plan) {
  absl::StatusOr<Executable> convolution = Executable::Load(plan.plan);
  if (!convolution.ok()) return convolution.status();
  std::optional<Executable> transposition;
  if (plan.transposition) {
    absl::StatusOr<Executable> loaded = Executable::Load(*plan.transposition);
    if (!loaded.ok()) return loaded.status();
    transposition = *std::move(loaded);
  }
  return LoadedGraph(std::move(plan), *std::move(convolution), std::move(transposition));
}

absl::Status LoadedGraph::Launch(absl::FunctionRef<void*(std::int64_t)> address_of, void* workspace,
                                 hipStream_t stream) const {
  const ConvGraph& graph = plan_.graph;
  const std::int64_t bytes = workspace_bytes();
  if (bytes > 0 && workspace == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the workspace is null; the graph needs %d bytes", bytes));
  }
  const std::array uids = {graph.a, graph.b, graph.out, graph.d[0], graph.d[1]};
  const std::size_t tensors = 3 + static_cast<std::size_t>(graph.problem.epilogue.tensors);
  std::array<void*, uids.size()> at = {};
  for (std::size_t i = 0; i < tensors; ++i) {
    at[i] = address_of(uids[i]);
    if (at[i] == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrFormat("tensor %d has no device buffer, or a null one", uids[i]));
    }
  }
  Tensors all = {.a = at[0], .b = at[1], .out = at[2], .d0 = at[3], .d1 = at[4]};
  if (!transposition_) return convolution_.Launch(all, workspace, bytes, stream);
  void* const copy = static_cast<char*>(workspace) + plan_.copy_at();
  if (IsWeightGradient(graph.problem)) {
    all.out = copy;
    absl::Status status = convolution_.Launch(all, workspace, plan_.copy_at(), stream);
    if (!status.ok()) return status;
    return transposition_->Launch({.a = copy, .out = at[2]}, nullptr, 0, stream);
  }
  absl::Status status = transposition_->Launch({.a = at[1], .out = copy}, nullptr, 0, stream);
  if (!status.ok()) return status;
  all.b = copy;
  return convolution_.Launch(all, workspace, plan_.copy_at(), stream);
}

}  // namespace gridwise::hipdnn
