// SPDX-License-Identifier: MIT
#include "tools/sim/hip/api/graph/parameters.h"

#include <utility>

#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/device/unsupported.h"
#include "tools/sim/hip/launch/arguments.h"
#include "tools/sim/hip/module/function.h"
#include "tools/sim/hip/module/module.h"

namespace gridwise::sim {
namespace {

hipError_t Checked(Operation made, Operation* operation) {
  if (hipError_t error = Check(made); error != hipSuccess) return Report(error);
  *operation = std::move(made);
  return Report(hipSuccess);
}

// The operation of `node` if it is a T.
template <typename T>
const T* As(const hipGraphNode& node, const void* parameters) {
  return parameters == nullptr ? nullptr : std::get_if<T>(&node.operation);
}

hipPitchedPtr MakePitchedPtr(const Pitched& memory, const Box& box) {
  const size_t pitch = memory.row_bytes == 0 ? box.width : memory.row_bytes;
  const size_t rows =
      pitch == 0 || memory.slice_bytes == 0 ? box.height : memory.slice_bytes / pitch;
  return {memory.base, pitch, box.width, rows};
}

}  // namespace

hipError_t MakeOperation(const hipKernelNodeParams* p, Operation* operation) {
  if (p == nullptr || p->func == nullptr) return Report(hipErrorInvalidValue);
  hipFunction_t function = nullptr;
  if (hipError_t error = CurrentFunction(p->func, &function); error != hipSuccess) return error;
  KernelOperation kernel;
  const Grid grid = MakeGrid(p->gridDim, p->blockDim, p->sharedMemBytes, /*cooperative=*/false);
  const hipError_t error =
      MakeKernelOperation(function, p->func, grid, {p->kernelParams, p->extra}, &kernel);
  return error != hipSuccess ? error : Checked(std::move(kernel), operation);
}

hipError_t MakeOperation(const hipMemcpy3DParms* p, Operation* operation) {
  CopyOperation copy;
  const hipError_t error = MakeCopy(p, &copy);
  return error != hipSuccess ? error : Checked(copy, operation);
}

hipError_t MakeOperation(const hipMemsetParams* p, Operation* operation) {
  if (p == nullptr) return Report(hipErrorInvalidValue);
  auto* const to = static_cast<std::byte*>(p->dst);
  return Checked(
      FillOperation{{to, p->pitch, 0}, {p->width, p->height, 1}, p->value, p->elementSize},
      operation);
}

hipError_t MakeOperation(const hipHostNodeParams* p, Operation* operation) {
  if (p == nullptr) return Report(hipErrorInvalidValue);
  return Checked(HostOperation{p->fn, p->userData}, operation);
}

hipError_t MakeChild(hipGraph_t graph, Operation* operation) {
  if (!IsGraph(graph)) return Report(hipErrorInvalidValue);
  ChildOperation child = {Clone(*graph)};
  child.graph->is_program_s = false;
  return Checked(std::move(child), operation);
}

hipError_t MakeOperation(const hipGraphNodeParams* p, Operation* operation) {
  if (p == nullptr) return Report(hipErrorInvalidValue);
  switch (p->type) {
    case hipGraphNodeTypeKernel:
      return MakeOperation(&p->kernel, operation);
    case hipGraphNodeTypeMemcpy:
      return MakeOperation(&p->memcpy.copyParams, operation);
    case hipGraphNodeTypeMemset:
      return MakeOperation(&p->memset, operation);
    case hipGraphNodeTypeHost:
      return MakeOperation(&p->host, operation);
    case hipGraphNodeTypeGraph:
      return MakeChild(p->graph.graph, operation);
    case hipGraphNodeTypeEmpty:
      return Checked(EmptyOperation{}, operation);
    case hipGraphNodeTypeWaitEvent:
      return Checked(WaitOperation{p->eventWait.event}, operation);
    case hipGraphNodeTypeEventRecord:
      return Checked(RecordOperation{p->eventRecord.event}, operation);
    default:
      return static_cast<hipError_t>(Unsupported("a graph node of memory or semaphores"));
  }
}

hipError_t GetParameters(hipGraphNode& node, hipKernelNodeParams* p) {
  auto* const kernel = std::get_if<KernelOperation>(&node.operation);
  if (p == nullptr || kernel == nullptr || !IsFunction(kernel->function))
    return Report(hipErrorInvalidValue);
  const Grid& grid = kernel->grid;
  node.parameters = PointersToArguments(*kernel->function->kernel, kernel->arguments);
  *p = {.blockDim = dim3(grid.block[0], grid.block[1], grid.block[2]),
        .extra = nullptr,
        .func = const_cast<void*>(kernel->named),
        .gridDim = dim3(grid.workgroups[0], grid.workgroups[1], grid.workgroups[2]),
        .kernelParams = node.parameters.data(),
        .sharedMemBytes = grid.dynamic_lds_bytes};
  return Report(hipSuccess);
}

hipError_t GetParameters(hipGraphNode& node, hipMemcpy3DParms* p) {
  const auto* const copy = As<CopyOperation>(node, p);
  if (copy == nullptr) return Report(hipErrorInvalidValue);
  *p = {};
  p->srcPtr = MakePitchedPtr(copy->from, copy->box);
  p->dstPtr = MakePitchedPtr(copy->to, copy->box);
  p->extent = {copy->box.width, copy->box.height, copy->box.depth};
  p->kind = copy->kind;
  return Report(hipSuccess);
}

// HIP has no parameters for a fill of several slices, which only a capture can make.
hipError_t GetParameters(hipGraphNode& node, hipMemsetParams* p) {
  const auto* const fill = As<FillOperation>(node, p);
  if (fill == nullptr || fill->box.depth > 1) return Report(hipErrorInvalidValue);
  *p = {.dst = fill->to.base,
        .elementSize = static_cast<unsigned int>(fill->value_bytes),
        .height = fill->box.height,
        .pitch = fill->to.row_bytes,
        .value = fill->value,
        .width = fill->box.width};
  return Report(hipSuccess);
}

hipError_t GetParameters(hipGraphNode& node, hipHostNodeParams* p) {
  const auto* const host = As<HostOperation>(node, p);
  if (host == nullptr) return Report(hipErrorInvalidValue);
  *p = {host->function, host->data};
  return Report(hipSuccess);
}

}  // namespace gridwise::sim
