// SPDX-License-Identifier: MIT
#pragma once

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/graph/graph.h"

namespace gridwise::sim {

bool IsExec(hipGraphExec_t exec);

/// What `exec` made of a node of the graph that it was made of; nullptr if either is not live or it
/// has no such node.
hipGraphNode_t NodeOf(hipGraphExec_t exec, hipGraphNode_t node);

/// Gives the embedded graph of `node` the operations of `graph`; false if types or edges differ.
bool ReplaceChild(hipGraphNode& node, const ihipGraph& graph);

}  // namespace gridwise::sim
