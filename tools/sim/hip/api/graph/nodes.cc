// SPDX-License-Identifier: MIT
#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/api/graph/parameters.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/graph/graph.h"
#include "tools/sim/hip/memory/allocations.h"
#include "tools/sim/hip/module/symbol.h"

// Adding nodes to a graph, and what nodes are.

namespace gridwise::sim {
namespace {

/// Where a node is added.
struct Place {
  hipGraphNode_t* node;
  hipGraph_t graph;
  const hipGraphNode_t* dependencies;
  size_t count;
};

bool IsValid(const Place& place) {
  if (place.node == nullptr || !IsGraph(place.graph)) return false;
  if (place.count > 0 && place.dependencies == nullptr) return false;
  const std::span dependencies(place.dependencies, place.count);
  for (auto node = dependencies.begin(); node != dependencies.end(); ++node) {
    if (!IsNode(*node) || (*node)->graph != place.graph) return false;
    if (std::find(dependencies.begin(), node, *node) != node) return false;
  }
  return true;
}

// Adds what `make` makes.
template <typename Make>
hipError_t Add(const Place& place, Make make) {
  if (!IsValid(place)) return Report(hipErrorInvalidValue);
  Operation operation;
  if (hipError_t error = make(&operation); error != hipSuccess) return Report(error);
  const std::span dependencies(place.dependencies, place.count);
  *place.node = AddNode(*place.graph, dependencies, std::move(operation));
  return Report(hipSuccess);
}

template <typename Parameters>
hipError_t AddWith(const Place& place, const Parameters* parameters) {
  return Add(place, [&](Operation* made) { return MakeOperation(parameters, made); });
}

hipError_t AddChecked(const Place& place, Operation operation) {
  return Add(place, [&](Operation* made) {
    *made = std::move(operation);
    return Check(*made);
  });
}

template <typename Parameters>
hipError_t Get(hipGraphNode_t node, Parameters* parameters) {
  return IsNode(node) ? GetParameters(*node, parameters) : Report(hipErrorInvalidValue);
}

// The memory comes from a device's pool. Devices that are to have access have it as peers, or not.
hipError_t MakeAllocation(hipMemAllocNodeParams* parameters, Operation* made) {
  if (parameters == nullptr || parameters->bytesize == 0 ||
      parameters->poolProps.allocType != hipMemAllocationTypePinned ||
      parameters->poolProps.location.type != hipMemLocationTypeDevice)
    return hipErrorInvalidValue;
  Device* const device = DeviceAt(parameters->poolProps.location.id);
  if (device == nullptr) return hipErrorInvalidDevice;
  std::shared_ptr<Reservation> memory = Reserve(*device, parameters->bytesize);
  if (memory == nullptr) return hipErrorOutOfMemory;
  parameters->dptr = memory->begin;
  *made = AllocateOperation{std::move(memory)};
  return hipSuccess;
}

// The event of a node that is a T.
template <typename T>
hipError_t GetEvent(hipGraphNode_t node, hipEvent_t* event) {
  const T* const operation = IsNode(node) ? std::get_if<T>(&node->operation) : nullptr;
  if (operation == nullptr || event == nullptr) return Report(hipErrorInvalidValue);
  *event = operation->event;
  return Report(hipSuccess);
}

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipGraphAddNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* before,
                           size_t count, hipGraphNodeParams* parameters) {
  return AddWith({node, graph, before, count}, parameters);
}
hipError_t hipGraphAddKernelNode(hipGraphNode_t* node, hipGraph_t graph,
                                 const hipGraphNode_t* before, size_t count,
                                 const hipKernelNodeParams* parameters) {
  return AddWith({node, graph, before, count}, parameters);
}
hipError_t hipGraphAddMemcpyNode(hipGraphNode_t* node, hipGraph_t graph,
                                 const hipGraphNode_t* before, size_t count,
                                 const hipMemcpy3DParms* parameters) {
  return AddWith({node, graph, before, count}, parameters);
}
hipError_t hipGraphAddMemsetNode(hipGraphNode_t* node, hipGraph_t graph,
                                 const hipGraphNode_t* before, size_t count,
                                 const hipMemsetParams* parameters) {
  return AddWith({node, graph, before, count}, parameters);
}
hipError_t hipGraphAddHostNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* before,
                               size_t count, const hipHostNodeParams* parameters) {
  return AddWith({node, graph, before, count}, parameters);
}
hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t* node, hipGraph_t graph,
                                   const hipGraphNode_t* before, size_t count, void* to,
                                   const void* from, size_t bytes, hipMemcpyKind kind) {
  return AddChecked({node, graph, before, count}, LinearCopy(to, from, bytes, kind));
}
hipError_t hipGraphAddMemcpyNodeFromSymbol(hipGraphNode_t* node, hipGraph_t graph,
                                           const hipGraphNode_t* before, size_t count, void* to,
                                           const void* symbol, size_t bytes, size_t offset,
                                           hipMemcpyKind kind) {
  CopyOperation copy;
  const hipError_t error = MakeCopyFromSymbol(to, symbol, bytes, offset, kind, &copy);
  return error != hipSuccess ? error : AddChecked({node, graph, before, count}, copy);
}
hipError_t hipGraphAddMemcpyNodeToSymbol(hipGraphNode_t* node, hipGraph_t graph,
                                         const hipGraphNode_t* before, size_t count,
                                         const void* symbol, const void* from, size_t bytes,
                                         size_t offset, hipMemcpyKind kind) {
  CopyOperation copy;
  const hipError_t error = MakeCopyToSymbol(symbol, from, bytes, offset, kind, &copy);
  return error != hipSuccess ? error : AddChecked({node, graph, before, count}, copy);
}
hipError_t hipGraphAddChildGraphNode(hipGraphNode_t* node, hipGraph_t graph,
                                     const hipGraphNode_t* before, size_t count, hipGraph_t child) {
  return Add({node, graph, before, count},
             [&](Operation* operation) { return MakeChild(child, operation); });
}
hipError_t hipGraphAddEmptyNode(hipGraphNode_t* node, hipGraph_t graph,
                                const hipGraphNode_t* before, size_t count) {
  return AddChecked({node, graph, before, count}, EmptyOperation{});
}
hipError_t hipGraphAddEventRecordNode(hipGraphNode_t* node, hipGraph_t graph,
                                      const hipGraphNode_t* before, size_t count,
                                      hipEvent_t event) {
  return AddChecked({node, graph, before, count}, RecordOperation{event});
}
hipError_t hipGraphAddEventWaitNode(hipGraphNode_t* node, hipGraph_t graph,
                                    const hipGraphNode_t* before, size_t count, hipEvent_t event) {
  return AddChecked({node, graph, before, count}, WaitOperation{event});
}

hipError_t hipGraphAddMemAllocNode(hipGraphNode_t* node, hipGraph_t graph,
                                   const hipGraphNode_t* before, size_t count,
                                   hipMemAllocNodeParams* parameters) {
  return Add({node, graph, before, count},
             [&](Operation* operation) { return MakeAllocation(parameters, operation); });
}
hipError_t hipGraphAddMemFreeNode(hipGraphNode_t* node, hipGraph_t graph,
                                  const hipGraphNode_t* before, size_t count, void* pointer) {
  return AddChecked({node, graph, before, count}, ReleaseOperation{pointer});
}

hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t node, hipKernelNodeParams* parameters) {
  return Get(node, parameters);
}
hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t node, hipMemcpy3DParms* parameters) {
  return Get(node, parameters);
}
hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node, hipMemsetParams* parameters) {
  return Get(node, parameters);
}
hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node, hipHostNodeParams* parameters) {
  return Get(node, parameters);
}
hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t node, hipMemAllocNodeParams* parameters) {
  const auto* const made =
      IsNode(node) ? std::get_if<AllocateOperation>(&node->operation) : nullptr;
  if (made == nullptr || parameters == nullptr) return Report(hipErrorInvalidValue);
  *parameters = {};
  parameters->poolProps.allocType = hipMemAllocationTypePinned;
  parameters->poolProps.location = {hipMemLocationTypeDevice, IndexOf(made->memory->device)};
  parameters->bytesize = made->memory->bytes;
  parameters->dptr = made->memory->begin;
  return Report(hipSuccess);
}
hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t node, void* parameter) {
  const auto* const made = IsNode(node) ? std::get_if<ReleaseOperation>(&node->operation) : nullptr;
  if (made == nullptr || parameter == nullptr) return Report(hipErrorInvalidValue);
  *static_cast<void**>(parameter) = made->pointer;
  return Report(hipSuccess);
}
hipError_t hipGraphEventRecordNodeGetEvent(hipGraphNode_t node, hipEvent_t* event) {
  return GetEvent<RecordOperation>(node, event);
}
hipError_t hipGraphEventWaitNodeGetEvent(hipGraphNode_t node, hipEvent_t* event) {
  return GetEvent<WaitOperation>(node, event);
}
hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t* graph) {
  const auto* const child = IsNode(node) ? std::get_if<ChildOperation>(&node->operation) : nullptr;
  if (child == nullptr || graph == nullptr) return Report(hipErrorInvalidValue);
  *graph = child->graph.get();
  return Report(hipSuccess);
}

}  // extern "C"
