// SPDX-License-Identifier: MIT
#include <variant>

#include "absl/strings/str_format.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/graph/graph.h"
#include "tools/sim/hip/launch/launch.h"

// Attributes of kernel nodes. Being cooperative changes how a kernel runs; the others are kept.

namespace gridwise::sim {
namespace {

// nullptr if `node` is not a live kernel node.
KernelOperation* KernelOf(hipGraphNode_t node) {
  return IsNode(node) ? std::get_if<KernelOperation>(&node->operation) : nullptr;
}

hipError_t Refuse(int attribute) {
  return Report(hipErrorInvalidValue,
                absl::StrFormat("attribute %d is none of a kernel node's", attribute));
}

hipError_t SetCooperative(KernelOperation& kernel, bool cooperative) {
  Grid grid = kernel.grid;
  grid.cooperative = cooperative;
  if (hipError_t error = CheckCooperative(kernel.function, grid); error != hipSuccess) return error;
  kernel.grid = grid;
  return Report(hipSuccess);
}

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipGraphKernelNodeSetAttribute(hipGraphNode_t node, hipKernelNodeAttrID attribute,
                                          const hipKernelNodeAttrValue* value) {
  KernelOperation* const kernel = KernelOf(node);
  if (kernel == nullptr || value == nullptr) return Report(hipErrorInvalidValue);
  switch (static_cast<int>(attribute)) {
    case hipKernelNodeAttributeCooperative:
      return SetCooperative(*kernel, value->cooperative != 0);
    case hipKernelNodeAttributePriority:
      kernel->priority = value->priority;
      return Report(hipSuccess);
    case hipKernelNodeAttributeAccessPolicyWindow:
      kernel->window = value->accessPolicyWindow;
      return Report(hipSuccess);
    default:
      return Refuse(attribute);
  }
}

hipError_t hipGraphKernelNodeGetAttribute(hipGraphNode_t node, hipKernelNodeAttrID attribute,
                                          hipKernelNodeAttrValue* value) {
  const KernelOperation* const kernel = KernelOf(node);
  if (kernel == nullptr || value == nullptr) return Report(hipErrorInvalidValue);
  switch (static_cast<int>(attribute)) {
    case hipKernelNodeAttributeCooperative:
      value->cooperative = kernel->grid.cooperative ? 1 : 0;
      return Report(hipSuccess);
    case hipKernelNodeAttributePriority:
      value->priority = kernel->priority;
      return Report(hipSuccess);
    case hipKernelNodeAttributeAccessPolicyWindow:
      value->accessPolicyWindow = kernel->window;
      return Report(hipSuccess);
    default:
      return Refuse(attribute);
  }
}

hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t from, hipGraphNode_t to) {
  const KernelOperation* const source = KernelOf(from);
  KernelOperation* const kernel = KernelOf(to);
  if (source == nullptr || kernel == nullptr) return Report(hipErrorInvalidValue);
  const hipError_t error = SetCooperative(*kernel, source->grid.cooperative);
  if (error != hipSuccess) return error;
  kernel->priority = source->priority;
  kernel->window = source->window;
  return Report(hipSuccess);
}

}  // extern "C"
