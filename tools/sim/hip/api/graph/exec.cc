// SPDX-License-Identifier: MIT
#include "tools/sim/hip/api/graph/exec.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/abi/per_thread.h"
#include "tools/sim/hip/device/handles.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/graph/graph.h"
#include "tools/sim/hip/stream/capture.h"
#include "tools/sim/hip/stream/stream.h"

// Executable graphs: a copy of a graph that has no cycle.

namespace gridwise::sim {

bool IsExec(hipGraphExec_t exec) { return LiveHandles<hipGraphExec>().Has(exec); }

hipGraphNode_t NodeOf(hipGraphExec_t exec, hipGraphNode_t node) {
  return IsExec(exec) && IsNode(node) ? FindCopy(*exec->graph, *node) : nullptr;
}

namespace {

hipError_t Instantiate(hipGraphExec_t* exec, hipGraph_t graph, unsigned long long flags,
                       hipGraphNode_t* culprit) {
  constexpr unsigned long long kKnown =
      hipGraphInstantiateFlagAutoFreeOnLaunch | hipGraphInstantiateFlagUpload |
      hipGraphInstantiateFlagDeviceLaunch | hipGraphInstantiateFlagUseNodePriority;
  if (culprit != nullptr) *culprit = nullptr;
  if (exec == nullptr || !IsGraph(graph) || (flags & ~kKnown) != 0) return hipErrorInvalidValue;
  if (flags & hipGraphInstantiateFlagDeviceLaunch) return hipErrorNotSupported;
  if (const hipGraphNode_t node = FindCycle(*graph); node != nullptr) {
    if (culprit != nullptr) *culprit = node;
    return hipErrorInvalidValue;
  }
  auto made = std::make_unique<hipGraphExec>();
  made->graph = Clone(*graph);
  made->graph->is_program_s = false;
  made->flags = flags;
  *exec = LiveHandles<hipGraphExec>().Add(made.release());
  return hipSuccess;
}

// The places of a node's dependencies in its graph.
std::vector<ptrdiff_t> Places(const hipGraphNode& node) {
  std::vector<ptrdiff_t> places;
  const auto& nodes = node.graph->nodes;
  for (const hipGraphNode_t before : node.dependencies) {
    const auto found = std::find_if(nodes.begin(), nodes.end(),
                                    [&](const auto& other) { return other.get() == before; });
    places.push_back(found - nodes.begin());
  }
  std::sort(places.begin(), places.end());
  return places;
}

// Whether the nodes of both graphs, in the order in which they were added, have the same types and
// edges, also in embedded graphs.
hipGraphExecUpdateResult Compare(const ihipGraph& old, const ihipGraph& updated,
                                 hipGraphNode_t* culprit) {
  if (old.nodes.size() != updated.nodes.size()) return hipGraphExecUpdateErrorTopologyChanged;
  for (size_t i = 0; i < old.nodes.size(); ++i) {
    const hipGraphNode& before = *old.nodes[i];
    const hipGraphNode& after = *updated.nodes[i];
    *culprit = updated.nodes[i].get();
    if (TypeOf(before.operation) != TypeOf(after.operation))
      return hipGraphExecUpdateErrorNodeTypeChanged;
    if (Places(before) != Places(after)) return hipGraphExecUpdateErrorTopologyChanged;
    if (TypeOf(before.operation) != hipGraphNodeTypeGraph) continue;
    hipGraphNode_t inner = nullptr;
    const hipGraphExecUpdateResult result =
        Compare(*std::get<ChildOperation>(before.operation).graph,
                *std::get<ChildOperation>(after.operation).graph, &inner);
    if (result != hipGraphExecUpdateSuccess) return result;
  }
  *culprit = nullptr;
  return hipGraphExecUpdateSuccess;
}

// Takes over the operations; nodes stay those that the program knows.
void Update(ihipGraph& old, const ihipGraph& updated) {
  for (size_t i = 0; i < old.nodes.size(); ++i) {
    Operation& operation = old.nodes[i]->operation;
    const Operation& replacement = updated.nodes[i]->operation;
    if (auto* const child = std::get_if<ChildOperation>(&operation); child != nullptr) {
      Update(*child->graph, *std::get<ChildOperation>(replacement).graph);
    } else {
      operation = replacement;
    }
  }
}

}  // namespace

bool ReplaceChild(hipGraphNode& node, const ihipGraph& graph) {
  ihipGraph& child = *std::get<ChildOperation>(node.operation).graph;
  hipGraphNode_t culprit = nullptr;
  if (Compare(child, graph, &culprit) != hipGraphExecUpdateSuccess) return false;
  Update(child, graph);
  return true;
}

}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipGraphInstantiate(hipGraphExec_t* exec, hipGraph_t graph, hipGraphNode_t* culprit,
                               char* log, size_t log_bytes) {
  if (log != nullptr && log_bytes > 0) log[0] = '\0';
  return Report(Instantiate(exec, graph, 0, culprit));
}
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* exec, hipGraph_t graph,
                                        unsigned long long flags) {
  return Report(Instantiate(exec, graph, flags, nullptr));
}
hipError_t hipGraphInstantiateWithParams(hipGraphExec_t* exec, hipGraph_t graph,
                                         hipGraphInstantiateParams* parameters) {
  if (parameters == nullptr) return Report(hipErrorInvalidValue);
  const hipError_t error = Instantiate(exec, graph, parameters->flags, &parameters->errNode_out);
  parameters->result_out = error == hipSuccess ? hipGraphInstantiateSuccess
                           : parameters->errNode_out != nullptr
                               ? hipGraphInstantiateInvalidStructure
                               : hipGraphInstantiateError;
  return Report(error);
}

hipError_t hipGraphExecDestroy(hipGraphExec_t exec) {
  if (!LiveHandles<hipGraphExec>().Forget(exec)) return Report(hipErrorInvalidValue);
  delete exec;
  return Report(hipSuccess);
}

hipError_t hipGraphExecGetFlags(hipGraphExec_t exec, unsigned long long* flags) {
  if (!IsExec(exec) || flags == nullptr) return Report(hipErrorInvalidValue);
  *flags = exec->flags;
  return Report(hipSuccess);
}

hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t stream) {
  if (!IsExec(exec)) return Report(hipErrorInvalidValue);
  return Report(DeviceOfStream(stream) != nullptr ? hipSuccess : hipErrorInvalidValue);
}

// Captured, it becomes an embedded graph as it is now. Nothing shares the copy that runs, so a host
// function in it may update or destroy `exec`.
hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream) {
  if (!IsExec(exec) || DeviceOfStream(stream) == nullptr) return Report(hipErrorInvalidValue);
  ChildOperation launch = {Clone(*exec->graph)};
  launch.graph->is_program_s = false;
  return Enqueue(stream, std::move(launch));
}

hipError_t hipGraphExecUpdate(hipGraphExec_t exec, hipGraph_t graph, hipGraphNode_t* culprit,
                              hipGraphExecUpdateResult* result) {
  if (!IsExec(exec) || !IsGraph(graph) || culprit == nullptr || result == nullptr)
    return Report(hipErrorInvalidValue);
  *culprit = nullptr;
  *result = Compare(*exec->graph, *graph, culprit);
  if (*result != hipGraphExecUpdateSuccess) return Report(hipErrorGraphExecUpdateFailure);
  Update(*exec->graph, *graph);
  return Report(hipSuccess);
}

hipError_t hipGraphNodeSetEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned int enabled) {
  const hipGraphNode_t copy = NodeOf(exec, node);
  if (copy == nullptr || TypeOf(copy->operation) > hipGraphNodeTypeMemset)
    return Report(hipErrorInvalidValue);
  copy->enabled = enabled != 0;
  return Report(hipSuccess);
}
hipError_t hipGraphNodeGetEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned int* enabled) {
  const hipGraphNode_t copy = NodeOf(exec, node);
  if (copy == nullptr || enabled == nullptr) return Report(hipErrorInvalidValue);
  *enabled = copy->enabled ? 1 : 0;
  return Report(hipSuccess);
}

GRIDWISE_PER_THREAD(hipGraphLaunch);

}  // extern "C"
