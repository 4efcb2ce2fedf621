// SPDX-License-Identifier: MIT
#include <cstdint>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/tests/graph_test.h"

// Memory that graphs allocate and free.

namespace gridwise::sim {
namespace {

using ::testing::ElementsAre;

class GraphMemoryTest : public GraphTest {
 protected:
  /// Captures that memory is allocated and appended to by way of `Append`'s log: the log becomes
  /// {1, value}.
  void CaptureUse(uint32_t value) {
    ASSERT_EQ(hipMallocAsync(&memory_, kLogBytes, first_), hipSuccess);
    ASSERT_NE(memory_, nullptr);
    EXPECT_EQ(hipMemsetAsync(memory_, 0, kLogBytes, first_), hipSuccess);
    void* arguments[] = {&memory_, &value};
    EXPECT_EQ(hipModuleLaunchKernel(append_, 1, 1, 1, 1, 1, 1, 0, first_, arguments, nullptr),
              hipSuccess);
    EXPECT_EQ(hipMemcpyAsync(log_, memory_, kLogBytes, hipMemcpyDeviceToDevice, first_),
              hipSuccess);
  }
  bool IsAllocated() const { return hipMemset(memory_, 0, 4) == hipSuccess; }

  void* memory_ = nullptr;
  hipGraph_t graph_ = nullptr;
};

TEST_F(GraphMemoryTest, IsAllocatedAndFreedByEveryLaunch) {
  ASSERT_EQ(Begin(first_), hipSuccess);
  CaptureUse(7);
  EXPECT_EQ(hipFreeAsync(memory_, first_), hipSuccess);
  ASSERT_EQ(hipStreamEndCapture(first_, &graph_), hipSuccess);
  const hipGraphExec_t exec = Instantiated(graph_);
  for (int launch = 0; launch < 2; ++launch) {
    ASSERT_EQ(hipGraphLaunch(exec, first_), hipSuccess);
    EXPECT_THAT(Taken(), ElementsAre(7));
    EXPECT_FALSE(IsAllocated());
  }
  EXPECT_EQ(hipGraphExecDestroy(exec), hipSuccess);
}

TEST_F(GraphMemoryTest, OutlivesTheGraphUntilItIsFreed) {
  ASSERT_EQ(Begin(first_), hipSuccess);
  CaptureUse(8);
  ASSERT_EQ(hipStreamEndCapture(first_, &graph_), hipSuccess);
  const hipGraphExec_t exec = Instantiated(graph_);
  ASSERT_EQ(hipGraphLaunch(exec, first_), hipSuccess);
  EXPECT_EQ(hipFreeAsync(memory_, first_), hipSuccess);
  EXPECT_EQ(hipFree(memory_), hipErrorInvalidValue) << "freed already";
  ASSERT_EQ(hipGraphLaunch(exec, first_), hipSuccess);
  EXPECT_EQ(hipGraphExecDestroy(exec), hipSuccess);
  EXPECT_EQ(hipStreamSynchronize(first_), hipSuccess);
  EXPECT_TRUE(IsAllocated());
  EXPECT_EQ(hipFree(memory_), hipSuccess);
  EXPECT_FALSE(IsAllocated());
}

TEST_F(GraphMemoryTest, EndsWithAGraphThatWasNeverLaunched) {
  ASSERT_EQ(Begin(first_), hipSuccess);
  CaptureUse(9);
  ASSERT_EQ(hipStreamEndCapture(first_, &graph_), hipSuccess);
  EXPECT_TRUE(IsAllocated());
  EXPECT_EQ(hipGraphDestroy(graph_), hipSuccess);
  EXPECT_FALSE(IsAllocated());
}

TEST_F(GraphMemoryTest, OnlyWhatGraphsAllocateIsFreedInOne) {
  ASSERT_EQ(Begin(first_), hipSuccess);
  EXPECT_EQ(hipFreeAsync(log_, first_), hipErrorInvalidValue);
  EXPECT_EQ(hipFreeAsync(nullptr, first_), hipSuccess);
  ASSERT_EQ(hipStreamEndCapture(first_, &graph_), hipSuccess);
  EXPECT_EQ(hipGraphDestroy(graph_), hipSuccess);
}

TEST_F(GraphMemoryTest, NodesAreAddedByHand) {
  hipMemAllocNodeParams asked = {};
  asked.poolProps.allocType = hipMemAllocationTypePinned;
  asked.poolProps.location = {hipMemLocationTypeDevice, 0};
  asked.bytesize = 100;
  hipGraphNode_t allocate = nullptr, release = nullptr;
  ASSERT_EQ(hipGraphCreate(&graph_, 0), hipSuccess);
  ASSERT_EQ(hipGraphAddMemAllocNode(&allocate, graph_, nullptr, 0, &asked), hipSuccess);
  ASSERT_EQ(hipGraphAddMemFreeNode(&release, graph_, &allocate, 1, asked.dptr), hipSuccess);
  hipMemAllocNodeParams given = {};
  EXPECT_EQ(hipGraphMemAllocNodeGetParams(allocate, &given), hipSuccess);
  EXPECT_EQ(given.dptr, asked.dptr);
  EXPECT_EQ(given.bytesize, 100u);
  EXPECT_EQ(hipGraphMemFreeNodeGetParams(release, &memory_), hipSuccess);
  EXPECT_EQ(memory_, asked.dptr);
  hipGraphNodeType type;
  EXPECT_EQ(hipGraphNodeGetType(allocate, &type), hipSuccess);
  EXPECT_EQ(type, hipGraphNodeTypeMemAlloc);
  EXPECT_EQ(hipGraphNodeGetType(release, &type), hipSuccess);
  EXPECT_EQ(type, hipGraphNodeTypeMemFree);
  const hipGraphExec_t exec = Instantiated(graph_);
  EXPECT_EQ(hipGraphLaunch(exec, first_), hipSuccess);
  EXPECT_EQ(hipStreamSynchronize(first_), hipSuccess);
  EXPECT_FALSE(IsAllocated());
  EXPECT_EQ(hipGraphExecDestroy(exec), hipSuccess);
}

}  // namespace
}  // namespace gridwise::sim
