// SPDX-License-Identifier: MIT
#include "tools/sim/hip/graph/graph.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/device/runtime.h"

// Graphs and their edges.

namespace gridwise::sim {
namespace {

// Gives a list as HIP does: its length where there is no room, else as much as there is room for;
// what room is left becomes null.
hipError_t Give(const std::vector<hipGraphNode_t>& list, hipGraphNode_t* out, size_t* count) {
  if (count == nullptr) return Report(hipErrorInvalidValue);
  if (out != nullptr) {
    for (size_t i = 0; i < *count; ++i) out[i] = i < list.size() ? list[i] : nullptr;
  }
  *count = out == nullptr ? list.size() : std::min(*count, list.size());
  return Report(hipSuccess);
}

template <typename Wanted>
std::vector<hipGraphNode_t> NodesThat(const ihipGraph& graph, Wanted wanted) {
  std::vector<hipGraphNode_t> nodes;
  for (const auto& node : graph.nodes) {
    if (wanted(*node)) nodes.push_back(node.get());
  }
  return nodes;
}

bool DependsOn(const hipGraphNode& node, const hipGraphNode* before) {
  return std::find(node.dependencies.begin(), node.dependencies.end(), before) !=
         node.dependencies.end();
}

// Edges that may be added (absent ones) or removed (present ones).
bool AreEdges(hipGraph_t graph, const hipGraphNode_t* from, const hipGraphNode_t* to, size_t count,
              bool present) {
  if (!IsGraph(graph) || (count > 0 && (from == nullptr || to == nullptr))) return false;
  for (size_t i = 0; i < count; ++i) {
    if (!IsNode(from[i]) || !IsNode(to[i]) || from[i] == to[i]) return false;
    if (from[i]->graph != graph || to[i]->graph != graph) return false;
    if (DependsOn(*to[i], from[i]) != present) return false;
  }
  return true;
}

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipGraphCreate(hipGraph_t* graph, unsigned int flags) {
  if (graph == nullptr || flags != 0) return Report(hipErrorInvalidValue);
  *graph = std::make_unique<ihipGraph>().release();
  return Report(hipSuccess);
}

hipError_t hipGraphDestroy(hipGraph_t graph) {
  if (!IsGraph(graph) || !graph->is_program_s) return Report(hipErrorInvalidValue);
  delete graph;
  return Report(hipSuccess);
}

hipError_t hipGraphClone(hipGraph_t* copy, hipGraph_t graph) {
  if (copy == nullptr || !IsGraph(graph)) return Report(hipErrorInvalidValue);
  *copy = Clone(*graph).release();
  return Report(hipSuccess);
}

hipError_t hipGraphNodeFindInClone(hipGraphNode_t* found, hipGraphNode_t node, hipGraph_t copy) {
  if (found == nullptr || !IsNode(node) || !IsGraph(copy)) return Report(hipErrorInvalidValue);
  *found = FindCopy(*copy, *node);
  return Report(*found != nullptr ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t* from,
                                   const hipGraphNode_t* to, size_t count) {
  if (!AreEdges(graph, from, to, count, /*present=*/false)) return Report(hipErrorInvalidValue);
  for (size_t i = 0; i < count; ++i) {
    if (!DependsOn(*to[i], from[i])) to[i]->dependencies.push_back(from[i]);
  }
  return Report(hipSuccess);
}

hipError_t hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t* from,
                                      const hipGraphNode_t* to, size_t count) {
  if (!AreEdges(graph, from, to, count, /*present=*/true)) return Report(hipErrorInvalidValue);
  for (size_t i = 0; i < count; ++i) std::erase(to[i]->dependencies, from[i]);
  return Report(hipSuccess);
}

hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t* nodes, size_t* count) {
  if (!IsGraph(graph)) return Report(hipErrorInvalidValue);
  return Give(NodesThat(*graph, [](const hipGraphNode&) { return true; }), nodes, count);
}

hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t* nodes, size_t* count) {
  if (!IsGraph(graph)) return Report(hipErrorInvalidValue);
  const auto is_root = [](const hipGraphNode& node) { return node.dependencies.empty(); };
  return Give(NodesThat(*graph, is_root), nodes, count);
}

hipError_t hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t* from, hipGraphNode_t* to,
                            size_t* count) {
  if (!IsGraph(graph) || count == nullptr || (from == nullptr) != (to == nullptr))
    return Report(hipErrorInvalidValue);
  std::vector<hipGraphNode_t> starts, ends;
  for (const auto& node : graph->nodes) {
    for (const hipGraphNode_t before : node->dependencies) {
      starts.push_back(before);
      ends.push_back(node.get());
    }
  }
  size_t start_count = *count;
  static_cast<void>(Give(starts, from, &start_count));
  return Give(ends, to, count);
}

hipError_t hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t* nodes, size_t* count) {
  if (!IsNode(node)) return Report(hipErrorInvalidValue);
  return Give(node->dependencies, nodes, count);
}

hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t node, hipGraphNode_t* nodes,
                                         size_t* count) {
  if (!IsNode(node)) return Report(hipErrorInvalidValue);
  const auto depends = [&](const hipGraphNode& other) { return DependsOn(other, node); };
  return Give(NodesThat(*node->graph, depends), nodes, count);
}

hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType* type) {
  if (!IsNode(node) || type == nullptr) return Report(hipErrorInvalidValue);
  *type = TypeOf(node->operation);
  return Report(hipSuccess);
}

hipError_t hipGraphDestroyNode(hipGraphNode_t node) {
  if (!IsNode(node) || !node->graph->is_program_s) return Report(hipErrorInvalidValue);
  ihipGraph& graph = *node->graph;
  for (const auto& other : graph.nodes) std::erase(other->dependencies, node);
  std::erase_if(graph.nodes, [&](const auto& other) { return other.get() == node; });
  return Report(hipSuccess);
}

}  // extern "C"
