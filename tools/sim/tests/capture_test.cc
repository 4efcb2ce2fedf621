// SPDX-License-Identifier: MIT
#include <cstdint>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/tests/graph_test.h"

// Capturing what a program puts on streams.

namespace gridwise::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using CaptureTest = GraphTest;

TEST_F(CaptureTest, RunsWhenLaunchedAndOnlyThen) {
  hipGraph_t graph = nullptr;
  ASSERT_EQ(Begin(first_), hipSuccess);
  EXPECT_EQ(StatusOf(first_), hipStreamCaptureStatusActive);
  EXPECT_EQ(StatusOf(second_), hipStreamCaptureStatusNone);
  EXPECT_EQ(Append(first_, 5), hipSuccess);
  EXPECT_EQ(Append(second_, 1), hipSuccess) << "not captured";
  EXPECT_EQ(Append(first_, 6), hipSuccess);
  ASSERT_EQ(hipStreamEndCapture(first_, &graph), hipSuccess);
  EXPECT_EQ(StatusOf(first_), hipStreamCaptureStatusNone);
  EXPECT_THAT(Taken(), ElementsAre(1));
  const hipGraphExec_t exec = Instantiated(graph);
  EXPECT_THAT(Taken(), IsEmpty());
  ASSERT_EQ(hipGraphLaunch(exec, first_), hipSuccess);
  ASSERT_EQ(hipGraphLaunch(exec, second_), hipSuccess);
  EXPECT_EQ(hipStreamSynchronize(first_), hipSuccess);
  EXPECT_THAT(Taken(), ElementsAre(5, 6, 5, 6));
  EXPECT_EQ(hipGraphExecDestroy(exec), hipSuccess);
}

TEST_F(CaptureTest, CopiesArguments) {
  hipGraph_t graph = nullptr;
  struct {
    uint32_t* log;
    uint32_t value;
  } packed = {log_, 3};
  uint32_t value = 4;
  size_t bytes = 12;
  void* pointers[] = {&log_, &value};
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   HIP_LAUNCH_PARAM_END};
  ASSERT_EQ(Begin(first_), hipSuccess);
  EXPECT_EQ(hipModuleLaunchKernel(append_, 1, 1, 1, 1, 1, 1, 0, first_, nullptr, extra),
            hipSuccess);
  EXPECT_EQ(hipModuleLaunchKernel(append_, 1, 1, 1, 1, 1, 1, 0, first_, pointers, nullptr),
            hipSuccess);
  EXPECT_EQ(hipExtLaunchKernel(append_, dim3(1), dim3(1), pointers, 0, first_, nullptr, nullptr, 0),
            hipSuccess);
  EXPECT_EQ(hipLaunchKernel(append_, dim3(1), dim3(1), pointers, 0, first_), hipSuccess);
  ASSERT_EQ(hipStreamEndCapture(first_, &graph), hipSuccess);
  packed = {nullptr, 99};
  value = 99;
  const hipGraphExec_t exec = Instantiated(graph);
  ASSERT_EQ(hipGraphLaunch(exec, first_), hipSuccess);
  EXPECT_THAT(Taken(), ElementsAre(3, 4, 4, 4));
  EXPECT_EQ(hipGraphExecDestroy(exec), hipSuccess);
}

// Everything but kernels, in the order in which it was captured.
TEST_F(CaptureTest, TakesMemoryAndHostFunctions) {
  std::vector<uint32_t> in = {1, 41}, out(2), seen;
  hipGraph_t graph = nullptr;
  ASSERT_EQ(Begin(first_), hipSuccess);
  EXPECT_EQ(hipMemsetAsync(log_, 0, kLogBytes, first_), hipSuccess);
  EXPECT_EQ(hipMemcpyAsync(log_, in.data(), 8, hipMemcpyHostToDevice, first_), hipSuccess);
  EXPECT_EQ(Append(first_, 42), hipSuccess);
  EXPECT_EQ(hipMemsetD32Async(log_ + 1, 40, 1, first_), hipSuccess);
  EXPECT_EQ(hipMemcpy2DAsync(out.data(), 4, log_ + 1, 4, 4, 2, hipMemcpyDeviceToHost, first_),
            hipSuccess);
  std::vector<uint32_t>* both[] = {&out, &seen};
  const auto look = [](void* data) {
    auto** const vectors = static_cast<std::vector<uint32_t>**>(data);
    vectors[1]->insert(vectors[1]->end(), vectors[0]->begin(), vectors[0]->end());
  };
  EXPECT_EQ(hipLaunchHostFunc(first_, look, both), hipSuccess);
  EXPECT_EQ(hipMemsetD8Async(log_ + 2, 0xff, 4, first_), hipSuccess);
  ASSERT_EQ(hipStreamEndCapture(first_, &graph), hipSuccess);
  EXPECT_THAT(seen, IsEmpty());
  EXPECT_THAT(out, ElementsAre(0, 0));
  const hipGraphExec_t exec = Instantiated(graph);
  for (int i = 0; i < 2; ++i) ASSERT_EQ(hipGraphLaunch(exec, first_), hipSuccess);
  EXPECT_EQ(hipStreamSynchronize(first_), hipSuccess);
  EXPECT_THAT(seen, ElementsAre(40, 42, 40, 42));
  EXPECT_THAT(Taken(), ElementsAre(40, 0xffffffffu));
  EXPECT_EQ(hipGraphExecDestroy(exec), hipSuccess);
}

TEST_F(CaptureTest, EventsForkAndJoin) {
  hipGraph_t graph = nullptr;
  ASSERT_EQ(Begin(first_), hipSuccess);
  EXPECT_EQ(Append(first_, 1), hipSuccess);
  EXPECT_EQ(hipEventRecord(fork_, first_), hipSuccess);
  EXPECT_EQ(hipStreamWaitEvent(second_, fork_, 0), hipSuccess);
  EXPECT_EQ(StatusOf(second_), hipStreamCaptureStatusActive);
  EXPECT_EQ(Append(second_, 2), hipSuccess);
  EXPECT_EQ(Append(first_, 3), hipSuccess);
  EXPECT_EQ(hipEventRecord(join_, second_), hipSuccess);
  EXPECT_EQ(hipStreamWaitEvent(first_, join_, 0), hipSuccess);
  EXPECT_EQ(Append(first_, 4), hipSuccess);
  EXPECT_EQ(hipStreamEndCapture(second_, &graph), hipErrorStreamCaptureUnmatched);
  ASSERT_EQ(hipStreamEndCapture(first_, &graph), hipSuccess);
  EXPECT_EQ(StatusOf(second_), hipStreamCaptureStatusNone);
  size_t nodes = 0, edges = 0, roots = 0;
  EXPECT_EQ(hipGraphGetNodes(graph, nullptr, &nodes), hipSuccess);
  EXPECT_EQ(hipGraphGetEdges(graph, nullptr, nullptr, &edges), hipSuccess);
  EXPECT_EQ(hipGraphGetRootNodes(graph, nullptr, &roots), hipSuccess);
  EXPECT_EQ(nodes, 4u);
  EXPECT_EQ(edges, 4u) << "1 to 2 and 3, both to 4";
  EXPECT_EQ(roots, 1u);
  const hipGraphExec_t exec = Instantiated(graph);
  ASSERT_EQ(hipGraphLaunch(exec, first_), hipSuccess);
  EXPECT_THAT(Taken(), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(hipEventQuery(fork_), hipErrorCapturedEvent);
  EXPECT_EQ(hipEventRecord(fork_, first_), hipSuccess);
  EXPECT_EQ(hipEventSynchronize(fork_), hipSuccess);
  EXPECT_EQ(hipGraphExecDestroy(exec), hipSuccess);
}

TEST_F(CaptureTest, GoesIntoTheProgramsGraph) {
  hipGraph_t graph = nullptr, seen = nullptr;
  ASSERT_EQ(hipGraphCreate(&graph, 0), hipSuccess);
  const hipGraphNode_t before = Add(graph, 7);
  ASSERT_EQ(
      hipStreamBeginCaptureToGraph(first_, graph, &before, nullptr, 1, hipStreamCaptureModeGlobal),
      hipSuccess);
  EXPECT_EQ(Append(first_, 8), hipSuccess);
  hipStreamCaptureStatus status;
  unsigned long long id = 0;
  const hipGraphNode_t* last = nullptr;
  size_t count = 0;
  ASSERT_EQ(hipStreamGetCaptureInfo_v2(first_, &status, &id, &seen, &last, &count), hipSuccess);
  EXPECT_EQ(seen, graph);
  ASSERT_EQ(count, 1u);
  EXPECT_NE(last[0], before);
  EXPECT_NE(id, 0u);
  ASSERT_EQ(hipStreamEndCapture(first_, &seen), hipSuccess);
  EXPECT_EQ(seen, graph);
  const hipGraphExec_t exec = Instantiated(graph);
  ASSERT_EQ(Begin(first_), hipSuccess);
  EXPECT_EQ(hipGraphLaunch(exec, first_), hipSuccess) << "captured as an embedded graph";
  ASSERT_EQ(hipStreamEndCapture(first_, &graph), hipSuccess);
  EXPECT_THAT(Taken(), IsEmpty());
  const hipGraphExec_t outer = Instantiated(graph);
  EXPECT_EQ(hipGraphExecDestroy(exec), hipSuccess);
  EXPECT_EQ(hipGraphLaunch(outer, first_), hipSuccess);
  EXPECT_THAT(Taken(), ElementsAre(7, 8));
  EXPECT_EQ(hipGraphExecDestroy(outer), hipSuccess);
}

}  // namespace
}  // namespace gridwise::sim
