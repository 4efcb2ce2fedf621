// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/graph/operation.h"
#include "tools/sim/hip/graph/user_object.h"

/// Graphs: operations and what each waits for. Handles are the addresses of these objects, which
/// know by themselves which of them are live.

struct hipGraphNode {
  hipGraphNode(ihipGraph* graph, gridwise::sim::Operation operation);
  ~hipGraphNode();
  hipGraphNode(const hipGraphNode&) = delete;
  hipGraphNode& operator=(const hipGraphNode&) = delete;

  ihipGraph* const graph;
  const uint64_t id;    // never used again, unlike an address
  uint64_t origin = 0;  // id of the node that this is a copy of
  gridwise::sim::Operation operation;
  std::vector<hipGraphNode_t> dependencies;  // nodes of the same graph
  bool enabled = true;
  std::vector<void*> parameters;  // what hipGraphKernelNodeGetParams points to
};

struct ihipGraph {
  ihipGraph();
  ~ihipGraph();
  ihipGraph(const ihipGraph&) = delete;
  ihipGraph& operator=(const ihipGraph&) = delete;

  std::vector<std::unique_ptr<hipGraphNode>> nodes;  // in the order in which they were added
  gridwise::sim::UserReferences references;
  bool is_program_s = true;  // else a node, an executable graph or a capture owns it
};

struct hipGraphExec {
  std::unique_ptr<ihipGraph> graph;  // a copy of its own
  unsigned long long flags = 0;
};

namespace gridwise::sim {

bool IsGraph(hipGraph_t graph);
bool IsNode(hipGraphNode_t node);

/// Adds a node that waits for `dependencies`, nodes of the same graph.
hipGraphNode_t AddNode(ihipGraph& graph, std::span<const hipGraphNode_t> dependencies,
                       Operation operation);

/// A copy, embedded graphs included. Its nodes' origins are those of `graph`.
std::unique_ptr<ihipGraph> Clone(const ihipGraph& graph);

/// The node that was made of `original` when its graph was copied to `graph`, or one within it.
/// nullptr if there is none.
hipGraphNode_t FindCopy(const ihipGraph& graph, const hipGraphNode& original);

/// A node of a cycle, here or in an embedded graph; nullptr if there is no cycle.
hipGraphNode_t FindCycle(const ihipGraph& graph);

/// Executes the nodes, each after what it depends on; of several that are ready, the one that was
/// added first. Ends at the first error. `device`: as of Execute. Reports.
hipError_t RunGraph(const ihipGraph& graph, Device* device);

}  // namespace gridwise::sim
