// SPDX-License-Identifier: MIT
#include "tools/sim/hip/graph/operation.h"

#include <cstddef>
#include <optional>
#include <type_traits>

#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/graph/event.h"
#include "tools/sim/hip/graph/graph.h"
#include "tools/sim/hip/memory/allocations.h"
#include "tools/sim/hip/module/module.h"

namespace gridwise::sim {
namespace {

// How many types of nodes between those of events and those of memory are no operation.
constexpr size_t kSemaphores = hipGraphNodeTypeMemAlloc - hipGraphNodeTypeEventRecord - 1;

constexpr size_t IndexOf(hipGraphNodeType type) {
  return type <= hipGraphNodeTypeEventRecord ? type : type - kSemaphores;
}

template <hipGraphNodeType kType, typename T>
constexpr bool kIs = std::is_same_v<std::variant_alternative_t<IndexOf(kType), Operation>, T>;
static_assert(kIs<hipGraphNodeTypeKernel, KernelOperation>);
static_assert(kIs<hipGraphNodeTypeMemcpy, CopyOperation>);
static_assert(kIs<hipGraphNodeTypeMemset, FillOperation>);
static_assert(kIs<hipGraphNodeTypeHost, HostOperation>);
static_assert(kIs<hipGraphNodeTypeGraph, ChildOperation>);
static_assert(kIs<hipGraphNodeTypeEmpty, EmptyOperation>);
static_assert(kIs<hipGraphNodeTypeWaitEvent, WaitOperation>);
static_assert(kIs<hipGraphNodeTypeEventRecord, RecordOperation>);
static_assert(kIs<hipGraphNodeTypeMemAlloc, AllocateOperation>);
static_assert(kIs<hipGraphNodeTypeMemFree, ReleaseOperation>);

struct Checker {
  hipError_t operator()(const KernelOperation& kernel) const {
    return IsFunction(kernel.function) ? hipSuccess : hipErrorInvalidResourceHandle;
  }
  hipError_t operator()(const CopyOperation& copy) const { return Check(copy); }
  hipError_t operator()(const FillOperation& fill) const { return Check(fill); }
  hipError_t operator()(const HostOperation& host) const {
    return host.function != nullptr ? hipSuccess : hipErrorInvalidValue;
  }
  hipError_t operator()(const ChildOperation&) const { return hipSuccess; }
  hipError_t operator()(const EmptyOperation&) const { return hipSuccess; }
  hipError_t operator()(const WaitOperation& wait) const { return CheckEvent(wait.event); }
  hipError_t operator()(const RecordOperation& record) const { return CheckEvent(record.event); }
  hipError_t operator()(const AllocateOperation&) const { return hipSuccess; }
  hipError_t operator()(const ReleaseOperation& release) const {
    const std::optional<Allocation> allocation = FindAllocation(release.pointer);
    return allocation && allocation->begin == release.pointer && allocation->is_reserved
               ? hipSuccess
               : hipErrorInvalidValue;
  }

  hipError_t operator()(const CallOperation&) const { return hipSuccess; }

  static hipError_t CheckEvent(hipEvent_t event) {
    return IsEvent(event) ? hipSuccess : hipErrorInvalidValue;
  }
};

struct Executor {
  Device* const device;

  hipError_t operator()(const KernelOperation& kernel) const { return ExecuteKernel(kernel); }
  hipError_t operator()(const CopyOperation& copy) const { return Run(copy, device); }
  hipError_t operator()(const FillOperation& fill) const { return Run(fill, device); }
  hipError_t operator()(const HostOperation& host) const {
    host.function(host.data);
    return Report(hipSuccess);
  }
  hipError_t operator()(const ChildOperation& child) const {
    return RunGraph(*child.graph, device);
  }
  hipError_t operator()(const EmptyOperation&) const { return Report(hipSuccess); }
  hipError_t operator()(const WaitOperation&) const { return Report(hipSuccess); }
  hipError_t operator()(const RecordOperation& record) const {
    if (record.recording != nullptr) {
      Finish(*record.recording);
      return Report(hipSuccess);
    }
    if (!IsEvent(record.event)) return Report(hipErrorInvalidValue);
    RecordEvent(record.event, device);
    return Report(hipSuccess);
  }
  hipError_t operator()(const AllocateOperation& allocate) const {
    return Allocate(allocate.memory);
  }
  hipError_t operator()(const ReleaseOperation& release) const { return Release(release.pointer); }
  hipError_t operator()(const CallOperation& call) const { return call.call(device); }
};

}  // namespace

hipGraphNodeType TypeOf(const Operation& operation) {
  const size_t index = operation.index();
  return static_cast<hipGraphNodeType>(index <= hipGraphNodeTypeEventRecord ? index
                                                                            : index + kSemaphores);
}

hipError_t Check(const Operation& operation) { return std::visit(Checker{}, operation); }

hipError_t Execute(const Operation& operation, Device* device) {
  return std::visit(Executor{device}, operation);
}

}  // namespace gridwise::sim
