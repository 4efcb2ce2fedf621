// SPDX-License-Identifier: MIT
#include "tools/sim/tests/graph_test.h"

#include <cstdint>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hip/hip_runtime_api.h"

// Graphs that a program makes node by node.

namespace gridwise::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Graphs : public GraphTest {
 protected:
  void SetUp() override {
    GraphTest::SetUp();
    ASSERT_EQ(hipGraphCreate(&graph_, 0), hipSuccess);
  }
  void TearDown() override {
    if (exec_ != nullptr) EXPECT_EQ(hipGraphExecDestroy(exec_), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(graph_), hipSuccess);
    GraphTest::TearDown();
  }
  void Instantiate() {
    ASSERT_EQ(hipGraphInstantiate(&exec_, graph_, nullptr, nullptr, 0), hipSuccess);
  }
  std::vector<uint32_t> Launched() {
    EXPECT_EQ(hipGraphLaunch(exec_, first_), hipSuccess);
    return Taken();
  }
  hipGraph_t graph_ = nullptr;
  hipGraphExec_t exec_ = nullptr;
};

TEST_F(Graphs, NodesRunAfterWhatTheyDependOn) {
  const hipGraphNode_t last = Add(graph_, 4), left = Add(graph_, 2), right = Add(graph_, 3);
  const hipGraphNode_t top = Add(graph_, 1), other = Add(graph_, 5);
  const hipGraphNode_t from[] = {top, top, left, right}, to[] = {left, right, last, last};
  ASSERT_EQ(hipGraphAddDependencies(graph_, from, to, 4), hipSuccess);
  hipGraphNode_t nodes[4] = {};
  size_t count = 4;
  EXPECT_EQ(hipGraphNodeGetDependencies(last, nodes, &count), hipSuccess);
  EXPECT_EQ(count, 2u);
  EXPECT_THAT(nodes, ElementsAre(left, right, nullptr, nullptr));
  count = 1;
  EXPECT_EQ(hipGraphNodeGetDependentNodes(top, nodes, &count), hipSuccess);
  EXPECT_EQ(nodes[0], left);
  count = 4;
  EXPECT_EQ(hipGraphGetRootNodes(graph_, nodes, &count), hipSuccess);
  EXPECT_THAT(nodes, ElementsAre(top, other, nullptr, nullptr));
  hipGraphNodeType type;
  EXPECT_EQ(hipGraphNodeGetType(top, &type), hipSuccess);
  EXPECT_EQ(type, hipGraphNodeTypeKernel);
  Instantiate();
  EXPECT_THAT(Launched(), ElementsAre(1, 2, 3, 4, 5));
}

TEST_F(Graphs, CyclesAreRefused) {
  const hipGraphNode_t a = Add(graph_, 1), b = Add(graph_, 2, {a});
  ASSERT_EQ(hipGraphAddDependencies(graph_, &b, &a, 1), hipSuccess);
  EXPECT_EQ(hipGraphAddDependencies(graph_, &b, &a, 1), hipErrorInvalidValue) << "it is there";
  EXPECT_EQ(hipGraphAddDependencies(graph_, &a, &a, 1), hipErrorInvalidValue);
  hipGraphNode_t culprit = nullptr;
  hipGraphExec_t exec = nullptr;
  EXPECT_EQ(hipGraphInstantiate(&exec, graph_, &culprit, nullptr, 0), hipErrorInvalidValue);
  EXPECT_EQ(culprit, a);
  hipGraphInstantiateParams parameters = {};
  EXPECT_EQ(hipGraphInstantiateWithParams(&exec, graph_, &parameters), hipErrorInvalidValue);
  EXPECT_EQ(parameters.result_out, hipGraphInstantiateInvalidStructure);
  ASSERT_EQ(hipGraphRemoveDependencies(graph_, &b, &a, 1), hipSuccess);
  Instantiate();
  EXPECT_THAT(Launched(), ElementsAre(1, 2));
}

TEST_F(Graphs, AllKindsOfNodes) {
  std::vector<uint32_t> in = {1, 30}, out(2);
  hipGraphNode_t set, copy, kernel, record, wait, empty, host, read;
  const hipMemsetParams fill = {
      .dst = log_, .elementSize = 4, .height = 1, .pitch = 0, .value = 9, .width = 4};
  ASSERT_EQ(hipGraphAddMemsetNode(&set, graph_, nullptr, 0, &fill), hipSuccess);
  ASSERT_EQ(
      hipGraphAddMemcpyNode1D(&copy, graph_, &set, 1, log_, in.data(), 8, hipMemcpyHostToDevice),
      hipSuccess);
  kernel = Add(graph_, 31, {copy});
  ASSERT_EQ(hipGraphAddEventRecordNode(&record, graph_, &kernel, 1, fork_), hipSuccess);
  ASSERT_EQ(hipGraphAddEventWaitNode(&wait, graph_, &record, 1, fork_), hipSuccess);
  ASSERT_EQ(hipGraphAddEmptyNode(&empty, graph_, &wait, 1), hipSuccess);
  hipMemcpy3DParms box = {};
  box.srcPtr = {log_ + 1, 8, 8, 1};
  box.dstPtr = {out.data(), 8, 8, 1};
  box.extent = {8, 1, 1};
  box.kind = hipMemcpyDeviceToHost;
  ASSERT_EQ(hipGraphAddMemcpyNode(&read, graph_, &empty, 1, &box), hipSuccess);
  const hipHostNodeParams call = {
      [](void* data) { ++(*static_cast<std::vector<uint32_t>*>(data))[0]; }, &out};
  ASSERT_EQ(hipGraphAddHostNode(&host, graph_, &read, 1, &call), hipSuccess);
  Instantiate();
  EXPECT_THAT(Launched(), ElementsAre(30, 31));
  EXPECT_THAT(out, ElementsAre(31, 31));
  EXPECT_EQ(hipEventQuery(fork_), hipSuccess);

  hipMemsetParams got_fill;
  hipMemcpy3DParms got_box;
  hipHostNodeParams got_call;
  hipEvent_t event = nullptr;
  ASSERT_EQ(hipGraphMemsetNodeGetParams(set, &got_fill), hipSuccess);
  EXPECT_EQ(got_fill.value, 9u);
  EXPECT_EQ(got_fill.width, 4u);
  ASSERT_EQ(hipGraphMemcpyNodeGetParams(read, &got_box), hipSuccess);
  EXPECT_EQ(got_box.dstPtr.ptr, out.data());
  EXPECT_EQ(got_box.extent.width, 8u);
  ASSERT_EQ(hipGraphHostNodeGetParams(host, &got_call), hipSuccess);
  EXPECT_EQ(got_call.userData, &out);
  ASSERT_EQ(hipGraphEventRecordNodeGetEvent(record, &event), hipSuccess);
  EXPECT_EQ(event, fork_);
  EXPECT_EQ(hipGraphEventWaitNodeGetEvent(record, &event), hipErrorInvalidValue);
}

TEST_F(Graphs, ParametersCanBeChanged) {
  const hipGraphNode_t node = Add(graph_, 1);
  Instantiate();
  hipKernelNodeParams got;
  ASSERT_EQ(hipGraphKernelNodeGetParams(node, &got), hipSuccess);
  EXPECT_EQ(*static_cast<uint32_t*>(got.kernelParams[1]), 1u);
  EXPECT_EQ(got.func, append_);
  uint32_t value = 2;
  void* arguments[] = {&log_, &value};
  hipKernelNodeParams parameters = ParametersOf(arguments);
  ASSERT_EQ(hipGraphKernelNodeSetParams(node, &parameters), hipSuccess);
  EXPECT_THAT(Launched(), ElementsAre(1)) << "what was instantiated is a copy";
  value = 3;
  ASSERT_EQ(hipGraphExecKernelNodeSetParams(exec_, node, &parameters), hipSuccess);
  value = 4;
  EXPECT_THAT(Launched(), ElementsAre(3));
  hipGraphNode_t culprit = nullptr;
  hipGraphExecUpdateResult result;
  ASSERT_EQ(hipGraphExecUpdate(exec_, graph_, &culprit, &result), hipSuccess);
  EXPECT_THAT(Launched(), ElementsAre(2));
  ASSERT_EQ(hipGraphNodeSetEnabled(exec_, node, 0), hipSuccess);
  EXPECT_THAT(Launched(), IsEmpty());

  hipGraphNode_t other = Add(graph_, 5);
  EXPECT_EQ(hipGraphExecUpdate(exec_, graph_, &culprit, &result), hipErrorGraphExecUpdateFailure);
  EXPECT_EQ(result, hipGraphExecUpdateErrorTopologyChanged);
  EXPECT_EQ(hipGraphExecKernelNodeSetParams(exec_, other, &parameters), hipErrorInvalidValue);
  ASSERT_EQ(hipGraphDestroyNode(other), hipSuccess);
  ASSERT_EQ(hipGraphDestroyNode(node), hipSuccess);
  ASSERT_EQ(hipGraphAddEmptyNode(&other, graph_, nullptr, 0), hipSuccess);
  EXPECT_EQ(hipGraphExecUpdate(exec_, graph_, &culprit, &result), hipErrorGraphExecUpdateFailure);
  EXPECT_EQ(result, hipGraphExecUpdateErrorNodeTypeChanged);
  EXPECT_EQ(culprit, other);
}

TEST_F(Graphs, ClonesAndChildrenAreIndependent) {
  const hipGraphNode_t node = Add(graph_, 1);
  hipGraph_t clone = nullptr, inner = nullptr;
  ASSERT_EQ(hipGraphClone(&clone, graph_), hipSuccess);
  hipGraphNode_t copy = nullptr, child = nullptr;
  ASSERT_EQ(hipGraphNodeFindInClone(&copy, node, clone), hipSuccess);
  EXPECT_NE(copy, node);
  Add(clone, 2, {copy});
  EXPECT_EQ(hipGraphAddDependencies(graph_, &node, &copy, 1), hipErrorInvalidValue);
  ASSERT_EQ(hipGraphAddChildGraphNode(&child, graph_, &node, 1, clone), hipSuccess);
  Add(graph_, 3, {child});
  Add(clone, 4);
  ASSERT_EQ(hipGraphChildGraphNodeGetGraph(child, &inner), hipSuccess);
  EXPECT_NE(inner, clone);
  EXPECT_EQ(hipGraphDestroy(inner), hipErrorInvalidValue) << "its node owns it";
  size_t count = 0;
  EXPECT_EQ(hipGraphGetNodes(inner, nullptr, &count), hipSuccess);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(hipGraphDestroy(clone), hipSuccess);
  Instantiate();
  EXPECT_THAT(Launched(), ElementsAre(1, 1, 2, 3));
}

TEST_F(Graphs, BadHandlesAreErrors) {
  const hipGraphNode_t node = Add(graph_, 1);
  Instantiate();
  alignas(16) char nothing[256] = {};
  const auto bad_graph = reinterpret_cast<hipGraph_t>(nothing);
  const auto bad_node = reinterpret_cast<hipGraphNode_t>(nothing);
  const auto bad_exec = reinterpret_cast<hipGraphExec_t>(nothing);
  hipGraphNode_t added = nullptr;
  hipGraphExec_t exec = nullptr;
  size_t count = 0;
  hipKernelNodeParams parameters = {};
  for (const hipGraph_t graph : {bad_graph, hipGraph_t{nullptr}}) {
    EXPECT_EQ(hipGraphDestroy(graph), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphGetNodes(graph, nullptr, &count), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphAddEmptyNode(&added, graph, nullptr, 0), hipErrorInvalidValue);
  }
  EXPECT_EQ(hipGraphAddEmptyNode(&added, graph_, &bad_node, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphAddEmptyNode(&added, graph_, nullptr, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphAddKernelNode(&added, graph_, nullptr, 0, nullptr), hipErrorInvalidValue);
  // Nothing of it is the device's.
  EXPECT_EQ(hipGraphAddMemcpyNode1D(&added, graph_, nullptr, 0, nothing, &count, 8,
                                    hipMemcpyDeviceToDevice),
            hipErrorInvalidValue);
  EXPECT_EQ(hipGraphAddEventRecordNode(&added, graph_, nullptr, 0, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphKernelNodeGetParams(bad_node, &parameters), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphKernelNodeSetParams(node, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphDestroyNode(bad_node), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphLaunch(bad_exec, first_), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphLaunch(exec_, reinterpret_cast<hipStream_t>(nothing)), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphExecDestroy(bad_exec), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphCreate(nullptr, 0), hipErrorInvalidValue);
}

TEST_F(Graphs, UnloadedModuleIsAnError) {
  const absl::StatusOr<Gpu> gpu = Gpu::Load({{"O3", GraphKernelsO3()}});
  ASSERT_TRUE(gpu.ok()) << gpu.status();
  const hipModule_t module = gpu->module("O3");
  hipFunction_t function = nullptr;
  ASSERT_EQ(hipModuleGetFunction(&function, module, "Append"), hipSuccess);
  uint32_t value = 1;
  void* arguments[] = {&log_, &value};
  hipKernelNodeParams parameters = ParametersOf(arguments);
  parameters.func = function;
  hipGraphNode_t node = nullptr;
  ASSERT_EQ(hipGraphAddKernelNode(&node, graph_, nullptr, 0, &parameters), hipSuccess);
  Instantiate();
  ASSERT_EQ(hipModuleUnload(module), hipSuccess);
  const hipError_t error = hipGraphLaunch(exec_, first_);
  EXPECT_EQ(error != hipSuccess ? error : hipStreamSynchronize(first_),
            hipErrorInvalidResourceHandle);
  EXPECT_THAT(Taken(), IsEmpty());
}

}  // namespace
}  // namespace gridwise::sim
