// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gridwise/conv.h"
#include "gridwise/hipdnn/conv_graph.h"
#include "hip/hip_runtime_api.h"

namespace gridwise::hipdnn {

/// How a graph is computed: a plan, and for weights in an order that kernels do not have, a
/// transposition between them and a copy at the end of the workspace.
struct GraphPlan {
  ConvGraph graph;
  Plan plan;
  std::optional<InstancePlan> transposition = {};
  std::int64_t copy_bytes = 0;  ///< of the weights

  /// Where the copy of the weights begins in the workspace.
  std::int64_t copy_at() const;
  std::int64_t workspace_bytes() const;
};

/// Returns the plan of `graph` for the calling thread's current device. Where there is no device,
/// the plan is for the first target with convolutions: it tells what the plugin computes and how
/// much workspace it needs.
///
/// Errors: those of MakePlan; kFailedPrecondition if the plugin was built without kernels for the
/// device.
absl::StatusOr<GraphPlan> PlanGraph(const ConvGraph& graph, const PlanOptions& options);

/// Returns the instances that compute the graph on the current device, fastest first.
std::vector<std::string> ListInstances(const ConvGraph& graph);

/// A graph whose kernels are loaded on a device.
class LoadedGraph {
 public:
  /// Errors: those of Executable::Load.
  static absl::StatusOr<LoadedGraph> Load(GraphPlan plan);

  std::int64_t workspace_bytes() const { return plan_.workspace_bytes(); }

  /// Starts the computation on `stream`, like Executable::Launch. `address_of` returns where the
  /// tensor with a uid is, or null. `workspace` has workspace_bytes().
  ///
  /// Errors: kInvalidArgument if there is no address of a tensor, or if the workspace is null and
  /// not empty; and those of Executable::Launch.
  absl::Status Launch(absl::FunctionRef<void*(std::int64_t)> address_of, void* workspace,
                      hipStream_t stream) const;

 private:
  LoadedGraph(GraphPlan plan, Executable convolution, std::optional<Executable> transposition);

  GraphPlan plan_;
  Executable convolution_;
  std::optional<Executable> transposition_;
};

}  // namespace gridwise::hipdnn
