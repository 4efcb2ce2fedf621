// SPDX-License-Identifier: MIT
#include "tools/sim/hip/graph/graph.h"

#include <atomic>
#include <functional>
#include <queue>
#include <set>
#include <unordered_map>
#include <utility>

#include "tools/sim/hip/device/handles.h"
#include "tools/sim/hip/device/runtime.h"

namespace gridwise::sim {
namespace {

uint64_t NextId() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

// The nodes in the order of execution; those of cycles, and after them, are left out.
std::vector<hipGraphNode_t> ExecutionOrder(const ihipGraph& graph) {
  const size_t count = graph.nodes.size();
  std::unordered_map<const hipGraphNode*, size_t> index_of;
  for (size_t i = 0; i < count; ++i) index_of[graph.nodes[i].get()] = i;
  std::vector<std::vector<size_t>> dependents(count);
  std::vector<size_t> awaited(count);
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < count; ++i) {
    awaited[i] = graph.nodes[i]->dependencies.size();
    for (const hipGraphNode* before : graph.nodes[i]->dependencies)
      dependents[index_of.at(before)].push_back(i);
    if (awaited[i] == 0) ready.push(i);
  }
  std::vector<hipGraphNode_t> order;
  for (; !ready.empty();) {
    const size_t next = ready.top();
    ready.pop();
    order.push_back(graph.nodes[next].get());
    for (const size_t dependent : dependents[next]) {
      if (--awaited[dependent] == 0) ready.push(dependent);
    }
  }
  return order;
}

const ihipGraph* ChildOf(const hipGraphNode& node) {
  const auto* const child = std::get_if<ChildOperation>(&node.operation);
  return child == nullptr ? nullptr : child->graph.get();
}

Operation CopyOf(const Operation& operation) {
  const auto* const child = std::get_if<ChildOperation>(&operation);
  if (child == nullptr) return operation;
  ChildOperation copy = {Clone(*child->graph)};
  copy.graph->is_program_s = false;
  return copy;
}

}  // namespace

bool IsGraph(hipGraph_t graph) { return LiveHandles<ihipGraph>().Has(graph); }
bool IsNode(hipGraphNode_t node) { return LiveHandles<hipGraphNode>().Has(node); }

hipGraphNode_t AddNode(ihipGraph& graph, std::span<const hipGraphNode_t> dependencies,
                       Operation operation) {
  graph.nodes.push_back(std::make_unique<hipGraphNode>(&graph, std::move(operation)));
  const hipGraphNode_t node = graph.nodes.back().get();
  node->dependencies.assign(dependencies.begin(), dependencies.end());
  return node;
}

std::unique_ptr<ihipGraph> Clone(const ihipGraph& graph) {
  auto copy = std::make_unique<ihipGraph>();
  copy->references = graph.references;
  std::unordered_map<const hipGraphNode*, hipGraphNode_t> copy_of;
  for (const auto& node : graph.nodes) {
    const hipGraphNode_t added = AddNode(*copy, {}, CopyOf(node->operation));
    added->origin = node->id;
    added->enabled = node->enabled;
    copy_of[node.get()] = added;
  }
  for (const auto& node : graph.nodes) {
    for (const hipGraphNode* before : node->dependencies)
      copy_of.at(node.get())->dependencies.push_back(copy_of.at(before));
  }
  return copy;
}

hipGraphNode_t FindCopy(const ihipGraph& graph, const hipGraphNode& original) {
  for (const auto& node : graph.nodes) {
    if (node->origin == original.id) return node.get();
    const ihipGraph* const child = ChildOf(*node);
    if (child == nullptr) continue;
    if (const hipGraphNode_t found = FindCopy(*child, original); found != nullptr) return found;
  }
  return nullptr;
}

hipGraphNode_t FindCycle(const ihipGraph& graph) {
  std::vector<hipGraphNode_t> order = ExecutionOrder(graph);
  if (order.size() < graph.nodes.size()) {
    const std::set<hipGraphNode_t> executed(order.begin(), order.end());
    for (const auto& node : graph.nodes) {
      if (executed.count(node.get()) == 0) return node.get();
    }
  }
  for (const auto& node : graph.nodes) {
    const ihipGraph* const child = ChildOf(*node);
    if (child != nullptr && FindCycle(*child) != nullptr) return node.get();
  }
  return nullptr;
}

hipError_t RunGraph(const ihipGraph& graph, Device* device) {
  for (const hipGraphNode* node : ExecutionOrder(graph)) {
    if (!node->enabled) continue;
    if (hipError_t error = Execute(node->operation, device); error != hipSuccess) return error;
  }
  return Report(hipSuccess);
}

}  // namespace gridwise::sim

using gridwise::sim::LiveHandles;

hipGraphNode::hipGraphNode(ihipGraph* graph, gridwise::sim::Operation operation)
    : graph(graph), id(gridwise::sim::NextId()), operation(std::move(operation)) {
  LiveHandles<hipGraphNode>().Add(this);
}
hipGraphNode::~hipGraphNode() { LiveHandles<hipGraphNode>().Forget(this); }

ihipGraph::ihipGraph() { LiveHandles<ihipGraph>().Add(this); }
ihipGraph::~ihipGraph() { LiveHandles<ihipGraph>().Forget(this); }
