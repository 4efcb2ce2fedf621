// SPDX-License-Identifier: MIT
#include <utility>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/api/graph/exec.h"
#include "tools/sim/hip/api/graph/parameters.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/graph/graph.h"
#include "tools/sim/hip/module/symbol.h"

// Giving nodes other parameters, in a graph or in an executable one.

namespace gridwise::sim {
namespace {

// Replaces the operation of `node`, which may be null, by another one of the same type.
hipError_t Replace(hipGraphNode_t node, Operation operation) {
  if (node == nullptr || TypeOf(node->operation) != TypeOf(operation))
    return Report(hipErrorInvalidValue);
  if (hipError_t error = Check(operation); error != hipSuccess) return Report(error);
  // HIP's parameters do not say what a launch's attributes are, or that its last workgroups are
  // partial.
  if (auto* const kernel = std::get_if<KernelOperation>(&operation); kernel != nullptr) {
    Grid& grid = kernel->grid;
    const auto& before = std::get<KernelOperation>(node->operation);
    const Grid& old = before.grid;
    kernel->priority = before.priority;
    kernel->window = before.window;
    grid.cooperative = old.cooperative;
    if (grid.workgroups == old.workgroups && grid.block == old.block)
      grid.remainder = old.remainder;
  }
  node->operation = std::move(operation);
  return Report(hipSuccess);
}

hipGraphNode_t Live(hipGraphNode_t node) { return IsNode(node) ? node : nullptr; }

template <typename Parameters>
hipError_t ReplaceWith(hipGraphNode_t node, const Parameters* parameters) {
  if (node == nullptr) return Report(hipErrorInvalidValue);
  Operation operation;
  const hipError_t error = MakeOperation(parameters, &operation);
  return error != hipSuccess ? error : Replace(node, std::move(operation));
}

hipError_t ReplaceFromSymbol(hipGraphNode_t node, void* to, const void* symbol, size_t bytes,
                             size_t offset, hipMemcpyKind kind) {
  if (node == nullptr) return Report(hipErrorInvalidValue);
  CopyOperation copy;
  const hipError_t error = MakeCopyFromSymbol(to, symbol, bytes, offset, kind, &copy);
  return error != hipSuccess ? error : Replace(node, copy);
}

hipError_t ReplaceToSymbol(hipGraphNode_t node, const void* symbol, const void* from, size_t bytes,
                           size_t offset, hipMemcpyKind kind) {
  if (node == nullptr) return Report(hipErrorInvalidValue);
  CopyOperation copy;
  const hipError_t error = MakeCopyToSymbol(symbol, from, bytes, offset, kind, &copy);
  return error != hipSuccess ? error : Replace(node, copy);
}

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams* parameters) {
  return ReplaceWith(Live(node), parameters);
}
hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           const hipKernelNodeParams* parameters) {
  return ReplaceWith(NodeOf(exec, node), parameters);
}
hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t node, const hipMemcpy3DParms* parameters) {
  return ReplaceWith(Live(node), parameters);
}
hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           hipMemcpy3DParms* parameters) {
  return ReplaceWith(NodeOf(exec, node), parameters);
}
hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t node, const hipMemsetParams* parameters) {
  return ReplaceWith(Live(node), parameters);
}
hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           const hipMemsetParams* parameters) {
  return ReplaceWith(NodeOf(exec, node), parameters);
}
hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node, const hipHostNodeParams* parameters) {
  return ReplaceWith(Live(node), parameters);
}
hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                         const hipHostNodeParams* parameters) {
  return ReplaceWith(NodeOf(exec, node), parameters);
}
hipError_t hipGraphNodeSetParams(hipGraphNode_t node, hipGraphNodeParams* parameters) {
  return ReplaceWith(Live(node), parameters);
}
hipError_t hipGraphExecNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                     hipGraphNodeParams* parameters) {
  return ReplaceWith(NodeOf(exec, node), parameters);
}

hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void* to, const void* from,
                                         size_t bytes, hipMemcpyKind kind) {
  return Replace(Live(node), LinearCopy(to, from, bytes, kind));
}
hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t exec, hipGraphNode_t node, void* to,
                                             const void* from, size_t bytes, hipMemcpyKind kind) {
  return Replace(NodeOf(exec, node), LinearCopy(to, from, bytes, kind));
}
hipError_t hipGraphMemcpyNodeSetParamsFromSymbol(hipGraphNode_t node, void* to, const void* symbol,
                                                 size_t bytes, size_t offset, hipMemcpyKind kind) {
  return ReplaceFromSymbol(Live(node), to, symbol, bytes, offset, kind);
}
hipError_t hipGraphExecMemcpyNodeSetParamsFromSymbol(hipGraphExec_t exec, hipGraphNode_t node,
                                                     void* to, const void* symbol, size_t bytes,
                                                     size_t offset, hipMemcpyKind kind) {
  return ReplaceFromSymbol(NodeOf(exec, node), to, symbol, bytes, offset, kind);
}
hipError_t hipGraphMemcpyNodeSetParamsToSymbol(hipGraphNode_t node, const void* symbol,
                                               const void* from, size_t bytes, size_t offset,
                                               hipMemcpyKind kind) {
  return ReplaceToSymbol(Live(node), symbol, from, bytes, offset, kind);
}
hipError_t hipGraphExecMemcpyNodeSetParamsToSymbol(hipGraphExec_t exec, hipGraphNode_t node,
                                                   const void* symbol, const void* from,
                                                   size_t bytes, size_t offset,
                                                   hipMemcpyKind kind) {
  return ReplaceToSymbol(NodeOf(exec, node), symbol, from, bytes, offset, kind);
}

hipError_t hipGraphEventRecordNodeSetEvent(hipGraphNode_t node, hipEvent_t event) {
  return Replace(Live(node), RecordOperation{event});
}
hipError_t hipGraphExecEventRecordNodeSetEvent(hipGraphExec_t exec, hipGraphNode_t node,
                                               hipEvent_t event) {
  return Replace(NodeOf(exec, node), RecordOperation{event});
}
hipError_t hipGraphEventWaitNodeSetEvent(hipGraphNode_t node, hipEvent_t event) {
  return Replace(Live(node), WaitOperation{event});
}
hipError_t hipGraphExecEventWaitNodeSetEvent(hipGraphExec_t exec, hipGraphNode_t node,
                                             hipEvent_t event) {
  return Replace(NodeOf(exec, node), WaitOperation{event});
}

hipError_t hipGraphExecChildGraphNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                               hipGraph_t graph) {
  const hipGraphNode_t copy = NodeOf(exec, node);
  if (copy == nullptr || TypeOf(copy->operation) != hipGraphNodeTypeGraph || !IsGraph(graph))
    return Report(hipErrorInvalidValue);
  return Report(ReplaceChild(*copy, *graph) ? hipSuccess : hipErrorInvalidValue);
}

}  // extern "C"
