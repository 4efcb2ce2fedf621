// SPDX-License-Identifier: MIT
#include <cstdlib>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/sim/hip/sim_extension.h"
#include "tools/sim/tests/hip7_test.h"

// Attributes of kernel nodes, and objects that live as long as graphs.

namespace gridwise::sim {
namespace {

using ::testing::HasSubstr;

class GraphAttributes : public Hip7Test {
 protected:
  // With one host thread, workgroups that are not cooperative run one after the other.
  GraphAttributes() { setenv("GRIDWISE_SIM_THREADS", "1", 1); }
  ~GraphAttributes() override { unsetenv("GRIDWISE_SIM_THREADS"); }
  void SetUp() override {
    Hip7Test::SetUp();
    ASSERT_EQ(hipGraphCreate(&graph_, 0), hipSuccess);
    parameters_.func = meet_;
    parameters_.gridDim = dim3(workgroups_);
    parameters_.blockDim = dim3(1);
    parameters_.kernelParams = arguments_;
    for (hipGraphNode_t* node : {&first_, &second_})
      ASSERT_EQ(hipGraphAddKernelNode(node, graph_, nullptr, 0, &parameters_), hipSuccess);
  }
  void TearDown() override {
    if (graph_ != nullptr) EXPECT_EQ(hipGraphDestroy(graph_), hipSuccess);
    Hip7Test::TearDown();
  }
  static hipError_t Set(hipGraphNode_t node, hipLaunchAttributeID attribute, int value) {
    hipLaunchAttributeValue set = {};
    set.priority = value;
    return hipGraphKernelNodeSetAttribute(node, attribute, &set);
  }
  static int Get(hipGraphNode_t node, hipLaunchAttributeID attribute) {
    hipLaunchAttributeValue got = {};
    EXPECT_EQ(hipGraphKernelNodeGetAttribute(node, attribute, &got), hipSuccess);
    return got.priority;
  }
  hipGraphExec_t Instantiate() {
    hipGraphExec_t executable = nullptr;
    EXPECT_EQ(hipGraphInstantiate(&executable, graph_, nullptr, nullptr, 0), hipSuccess);
    return executable;
  }

  unsigned workgroups_ = 4, patience_ = 1 << 23;
  void* arguments_[3] = {&words_, &workgroups_, &patience_};
  hipKernelNodeParams parameters_ = {};
  hipGraph_t graph_ = nullptr;
  hipGraphNode_t first_ = nullptr, second_ = nullptr;
};

TEST_F(GraphAttributes, MakeNodesCooperative) {
  ASSERT_EQ(hipGraphDestroyNode(second_), hipSuccess);
  EXPECT_EQ(Get(first_, hipLaunchAttributeCooperative), 0);
  for (const int cooperative : {0, 1}) {
    patience_ = cooperative == 1 ? 1 << 23 : 1 << 10;
    ASSERT_EQ(hipGraphKernelNodeSetParams(first_, &parameters_), hipSuccess);
    ASSERT_EQ(hipMemset(words_, 0, 8), hipSuccess);
    ASSERT_EQ(Set(first_, hipLaunchAttributeCooperative, cooperative), hipSuccess);
    hipGraphExec_t executable = Instantiate();
    ASSERT_EQ(hipGraphLaunch(executable, nullptr), hipSuccess);
    EXPECT_EQ(WordAt(1), cooperative == 1 ? workgroups_ : 1u);
    EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
  }
}

TEST_F(GraphAttributes, AreCopiedAndStay) {
  ASSERT_EQ(Set(first_, hipLaunchAttributeCooperative, 1), hipSuccess);
  ASSERT_EQ(Set(first_, hipLaunchAttributePriority, 3), hipSuccess);
  hipLaunchAttributeValue window = {};
  window.accessPolicyWindow.num_bytes = 512;
  ASSERT_EQ(hipGraphKernelNodeSetAttribute(first_, hipLaunchAttributeAccessPolicyWindow, &window),
            hipSuccess);
  ASSERT_EQ(hipGraphKernelNodeCopyAttributes(first_, second_), hipSuccess);
  ASSERT_EQ(hipGraphKernelNodeSetParams(second_, &parameters_), hipSuccess);
  EXPECT_EQ(Get(second_, hipLaunchAttributeCooperative), 1);
  EXPECT_EQ(Get(second_, hipLaunchAttributePriority), 3);
  window = {};
  ASSERT_EQ(hipGraphKernelNodeGetAttribute(second_, hipLaunchAttributeAccessPolicyWindow, &window),
            hipSuccess);
  EXPECT_EQ(window.accessPolicyWindow.num_bytes, 512u);
}

TEST_F(GraphAttributes, AreThoseOfKernelNodes) {
  hipGraphNode_t empty = nullptr;
  ASSERT_EQ(hipGraphAddEmptyNode(&empty, graph_, nullptr, 0), hipSuccess);
  EXPECT_EQ(Set(empty, hipLaunchAttributePriority, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphKernelNodeCopyAttributes(first_, empty), hipErrorInvalidValue);
  EXPECT_EQ(Set(first_, hipLaunchAttributeSynchronizationPolicy, 1), hipErrorInvalidValue);
  EXPECT_THAT(gridwiseSimLastFault(), HasSubstr("attribute 3 is none of a kernel node's"));
  parameters_.gridDim = dim3(1 << 20);
  ASSERT_EQ(hipGraphKernelNodeSetParams(first_, &parameters_), hipSuccess);
  EXPECT_EQ(Set(first_, hipLaunchAttributeCooperative, 1), hipErrorCooperativeLaunchTooLarge);
}

void Count(void* destroyed) { ++*static_cast<int*>(destroyed); }

class UserObjects : public GraphAttributes {
 protected:
  hipUserObject_t Create(unsigned references) {
    hipUserObject_t object = nullptr;
    EXPECT_EQ(
        hipUserObjectCreate(&object, &destroyed_, Count, references, hipUserObjectNoDestructorSync),
        hipSuccess);
    return object;
  }
  int destroyed_ = 0;
};

TEST_F(UserObjects, EndWithTheLastGraph) {
  hipUserObject_t object = Create(1);
  ASSERT_EQ(hipGraphRetainUserObject(graph_, object, 1, hipGraphUserObjectMove), hipSuccess);
  hipGraphExec_t executable = Instantiate();
  hipGraph_t clone = nullptr;
  ASSERT_EQ(hipGraphClone(&clone, graph_), hipSuccess);
  EXPECT_EQ(hipGraphDestroy(graph_), hipSuccess);
  graph_ = nullptr;
  EXPECT_EQ(hipGraphDestroy(clone), hipSuccess);
  EXPECT_EQ(destroyed_, 0);
  EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
  EXPECT_EQ(destroyed_, 1);
}

TEST_F(UserObjects, AreCounted) {
  hipUserObject_t object = Create(1);
  ASSERT_EQ(hipUserObjectRetain(object, 2), hipSuccess);
  ASSERT_EQ(hipGraphRetainUserObject(graph_, object, 2, 0), hipSuccess);
  EXPECT_EQ(hipUserObjectRelease(object, 3), hipSuccess);
  EXPECT_EQ(destroyed_, 0);
  EXPECT_EQ(hipGraphReleaseUserObject(graph_, object, 3), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphReleaseUserObject(graph_, object, 1), hipSuccess);
  EXPECT_EQ(destroyed_, 0);
  EXPECT_EQ(hipGraphReleaseUserObject(graph_, object, 1), hipSuccess);
  EXPECT_EQ(destroyed_, 1);
  EXPECT_EQ(hipUserObjectRetain(object, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipUserObjectCreate(&object, nullptr, Count, 1, 0), hipErrorInvalidValue);
}

}  // namespace
}  // namespace gridwise::sim
