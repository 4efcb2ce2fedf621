// SPDX-License-Identifier: MIT
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/tests/graph_test.h"

// What a capture forbids, and misuse.

namespace gridwise::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using CaptureErrorsTest = GraphTest;

TEST_F(CaptureErrorsTest, ForkWithoutJoinIsAnError) {
  hipGraph_t graph = nullptr;
  ASSERT_EQ(Begin(first_), hipSuccess);
  EXPECT_EQ(hipEventRecord(fork_, first_), hipSuccess);
  EXPECT_EQ(hipStreamWaitEvent(second_, fork_, 0), hipSuccess);
  EXPECT_EQ(Append(second_, 2), hipSuccess);
  EXPECT_EQ(hipStreamEndCapture(first_, &graph), hipErrorStreamCaptureUnjoined);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(StatusOf(second_), hipStreamCaptureStatusNone);
}

TEST_F(CaptureErrorsTest, WaitingForCapturedWorkInvalidates) {
  const auto invalidated_by = [&](auto call) {
    hipGraph_t graph = nullptr;
    EXPECT_EQ(Begin(first_), hipSuccess);
    EXPECT_EQ(Append(first_, 2), hipSuccess);
    EXPECT_EQ(hipEventRecord(fork_, first_), hipSuccess);
    const hipError_t error = call();
    EXPECT_EQ(StatusOf(first_), hipStreamCaptureStatusInvalidated);
    EXPECT_EQ(Append(first_, 3), hipErrorStreamCaptureInvalidated);
    EXPECT_EQ(hipStreamEndCapture(first_, &graph), hipErrorStreamCaptureInvalidated);
    EXPECT_EQ(graph, nullptr);
    return error;
  };
  void* memory = nullptr;
  constexpr hipError_t kUnsupported = hipErrorStreamCaptureUnsupported;
  EXPECT_EQ(invalidated_by([&] { return hipStreamSynchronize(first_); }), kUnsupported);
  EXPECT_EQ(invalidated_by([&] { return hipStreamQuery(first_); }), kUnsupported);
  EXPECT_EQ(invalidated_by([&] { return hipEventSynchronize(fork_); }), kUnsupported);
  EXPECT_EQ(invalidated_by([&] { return hipEventQuery(fork_); }), kUnsupported);
  EXPECT_EQ(invalidated_by([&] { return hipDeviceSynchronize(); }), kUnsupported);
  EXPECT_EQ(invalidated_by([&] { return hipMalloc(&memory, 4); }), kUnsupported);
  EXPECT_EQ(invalidated_by([&] { return hipFree(log_); }), kUnsupported);
  EXPECT_THAT(Taken(), IsEmpty());
}

TEST_F(CaptureErrorsTest, ModesSayWhatIsSafe) {
  hipGraph_t graph = nullptr;
  void* memory = nullptr;
  hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed;
  ASSERT_EQ(Begin(first_, hipStreamCaptureModeRelaxed), hipSuccess);
  EXPECT_EQ(hipMalloc(&memory, 4), hipSuccess);
  EXPECT_EQ(hipFree(memory), hipSuccess);
  ASSERT_EQ(hipStreamEndCapture(first_, &graph), hipSuccess);
  EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
  ASSERT_EQ(Begin(first_, hipStreamCaptureModeThreadLocal), hipSuccess);
  std::thread([&] { EXPECT_EQ(hipMalloc(&memory, 4), hipSuccess); }).join();
  std::thread([&] {
    EXPECT_EQ(hipStreamEndCapture(first_, &graph), hipErrorStreamCaptureWrongThread);
  }).join();
  ASSERT_EQ(hipThreadExchangeStreamCaptureMode(&mode), hipSuccess);
  EXPECT_EQ(mode, hipStreamCaptureModeGlobal);
  EXPECT_EQ(hipFree(memory), hipSuccess) << "this thread says that it is safe";
  ASSERT_EQ(hipThreadExchangeStreamCaptureMode(&mode), hipSuccess);
  ASSERT_EQ(hipStreamEndCapture(first_, &graph), hipSuccess);
  EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
}

TEST_F(CaptureErrorsTest, LegacyStreamWaitsForBlockingOnes) {
  hipGraph_t graph = nullptr;
  hipStream_t blocking = nullptr;
  ASSERT_EQ(hipStreamCreate(&blocking), hipSuccess);
  ASSERT_EQ(Begin(blocking), hipSuccess);
  EXPECT_EQ(Append(nullptr, 1), hipErrorStreamCaptureImplicit);
  EXPECT_EQ(hipStreamEndCapture(blocking, &graph), hipErrorStreamCaptureInvalidated);
  ASSERT_EQ(Begin(first_), hipSuccess);
  EXPECT_EQ(Append(nullptr, 2), hipSuccess) << "it does not wait for streams that do not block";
  ASSERT_EQ(hipStreamEndCapture(first_, &graph), hipSuccess);
  EXPECT_THAT(Taken(), ElementsAre(2));
  EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
  EXPECT_EQ(Begin(nullptr), hipErrorStreamCaptureUnsupported);
  EXPECT_EQ(hipStreamDestroy(blocking), hipSuccess);
}

TEST_F(CaptureErrorsTest, MisuseIsAnError) {
  hipGraph_t graph = nullptr;
  EXPECT_EQ(hipStreamEndCapture(first_, &graph), hipErrorIllegalState);
  EXPECT_EQ(hipStreamEndCapture(first_, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(Begin(first_, static_cast<hipStreamCaptureMode>(7)), hipErrorInvalidValue);
  EXPECT_EQ(Begin(reinterpret_cast<hipStream_t>(&graph)), hipErrorInvalidHandle);
  ASSERT_EQ(Begin(first_), hipSuccess);
  EXPECT_EQ(Begin(first_), hipErrorIllegalState);
  ASSERT_EQ(Begin(second_), hipSuccess);
  EXPECT_EQ(hipEventRecord(fork_, first_), hipSuccess);
  EXPECT_EQ(hipStreamWaitEvent(second_, fork_, 0), hipErrorStreamCaptureMerge);
  EXPECT_EQ(hipStreamEndCapture(first_, &graph), hipErrorStreamCaptureInvalidated);
  EXPECT_EQ(hipStreamEndCapture(second_, &graph), hipErrorStreamCaptureInvalidated);
  EXPECT_EQ(hipEventRecord(fork_, second_), hipSuccess);
  ASSERT_EQ(Begin(first_), hipSuccess);
  EXPECT_EQ(hipStreamWaitEvent(first_, fork_, 0), hipErrorStreamCaptureIsolation);
  EXPECT_EQ(hipStreamEndCapture(first_, &graph), hipErrorStreamCaptureInvalidated);
}

TEST_F(CaptureErrorsTest, DestroyedStreamEndsItsCapture) {
  hipStream_t stream = nullptr;
  ASSERT_EQ(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), hipSuccess);
  ASSERT_EQ(Begin(stream), hipSuccess);
  EXPECT_EQ(Append(stream, 1), hipSuccess);
  EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess) << "nothing is captured";
}

}  // namespace
}  // namespace gridwise::sim
