// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/graph/graph.h"

/// What HIP's parameters of nodes say, as operations, and back. All report what is wrong.

namespace gridwise::sim {

hipError_t MakeOperation(const hipKernelNodeParams* parameters, Operation* operation);
hipError_t MakeOperation(const hipMemcpy3DParms* parameters, Operation* operation);
hipError_t MakeOperation(const hipMemsetParams* parameters, Operation* operation);
hipError_t MakeOperation(const hipHostNodeParams* parameters, Operation* operation);
hipError_t MakeOperation(const hipGraphNodeParams* parameters, Operation* operation);

/// A copy of `graph`, embedded.
hipError_t MakeChild(hipGraph_t graph, Operation* operation);

hipError_t GetParameters(hipGraphNode& node, hipKernelNodeParams* parameters);
hipError_t GetParameters(hipGraphNode& node, hipMemcpy3DParms* parameters);
hipError_t GetParameters(hipGraphNode& node, hipMemsetParams* parameters);
hipError_t GetParameters(hipGraphNode& node, hipHostNodeParams* parameters);

}  // namespace gridwise::sim
