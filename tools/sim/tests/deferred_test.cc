// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/sim_extension.h"
#include "tools/sim/tests/graph_test.h"

// Deferred mode: operations of a stream run when the host waits for them, and not before.

namespace gridwise::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class Deferred : public GraphTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(gridwiseSimCheck("deferred"), 0);
    GraphTest::SetUp();
    ASSERT_EQ(hipHostMalloc(reinterpret_cast<void**>(&pinned_), kLogBytes, 0), hipSuccess);
    std::fill_n(pinned_, kLogBytes / 4, 0);
  }
  void TearDown() override {
    EXPECT_EQ(hipHostFree(pinned_), hipSuccess);
    GraphTest::TearDown();
    EXPECT_EQ(gridwiseSimCheck("run"), 0);
    gridwiseSimSeed(0, 0);
  }

  /// What the kernel has appended to pinned memory, without waiting for anything.
  std::vector<uint32_t> Seen() const { return {pinned_ + 1, pinned_ + 1 + pinned_[0]}; }
  hipError_t Append(hipStream_t stream, uint32_t value) {
    void* arguments[] = {&pinned_, &value};
    return hipModuleLaunchKernel(append_, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr);
  }

  /// The first word of device memory.
  uint32_t ReadBack() const {
    uint32_t word = 0;
    EXPECT_EQ(hipMemcpy(&word, log_, 4, hipMemcpyDeviceToHost), hipSuccess);
    return word;
  }

  uint32_t* pinned_ = nullptr;
};

TEST_F(Deferred, NothingRunsBeforeTheHostWaits) {
  ASSERT_EQ(Append(first_, 1), hipSuccess);
  ASSERT_EQ(Append(first_, 2), hipSuccess);
  EXPECT_THAT(Seen(), IsEmpty());  // what a program reads that does not wait
  ASSERT_EQ(hipStreamSynchronize(first_), hipSuccess);
  EXPECT_THAT(Seen(), ElementsAre(1, 2));
}

TEST_F(Deferred, AWaitRunsNoOtherStream) {
  ASSERT_EQ(Append(first_, 1), hipSuccess);
  ASSERT_EQ(Append(second_, 2), hipSuccess);
  ASSERT_EQ(hipStreamSynchronize(second_), hipSuccess);
  EXPECT_THAT(Seen(), ElementsAre(2));
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_THAT(Seen(), ElementsAre(2, 1));
}

TEST_F(Deferred, BlockingStreamsAndTheDefaultOneWaitForEachOther) {
  hipStream_t blocking = nullptr;
  ASSERT_EQ(hipStreamCreate(&blocking), hipSuccess);
  ASSERT_EQ(Append(blocking, 1), hipSuccess);
  ASSERT_EQ(Append(nullptr, 2), hipSuccess);
  ASSERT_EQ(Append(blocking, 3), hipSuccess);
  ASSERT_EQ(Append(first_, 4), hipSuccess);  // waits for neither
  ASSERT_EQ(hipStreamSynchronize(blocking), hipSuccess);
  EXPECT_THAT(Seen(), ElementsAre(1, 2, 3));
  ASSERT_EQ(Append(blocking, 5), hipSuccess);
  ASSERT_EQ(hipStreamSynchronize(nullptr), hipSuccess);
  EXPECT_THAT(Seen(), ElementsAre(1, 2, 3, 5));
  ASSERT_EQ(hipStreamSynchronize(first_), hipSuccess);
  EXPECT_EQ(hipStreamDestroy(blocking), hipSuccess);
}

TEST_F(Deferred, SynchronousCallsWait) {
  ASSERT_EQ(Append(nullptr, 7), hipSuccess);
  std::array<uint32_t, 2> words = {};
  ASSERT_EQ(hipMemcpy(words.data(), pinned_, sizeof(words), hipMemcpyDefault), hipSuccess);
  EXPECT_THAT(words, ElementsAre(1, 7));
  ASSERT_EQ(hipMemset(log_, 0xff, 8), hipSuccess);
  ASSERT_EQ(hipMemcpyDtoH(words.data(), log_, sizeof(words)), hipSuccess);
  EXPECT_THAT(words, ElementsAre(~0u, ~0u));
}

TEST_F(Deferred, EventsArePendingUntilTheyAreWaitedFor) {
  ASSERT_EQ(hipEventQuery(fork_), hipSuccess);  // never recorded
  ASSERT_EQ(Append(first_, 1), hipSuccess);
  ASSERT_EQ(hipEventRecord(fork_, first_), hipSuccess);
  ASSERT_EQ(Append(first_, 2), hipSuccess);
  float milliseconds = 0;
  EXPECT_EQ(hipEventElapsedTime(&milliseconds, fork_, fork_), hipErrorNotReady);
  ASSERT_EQ(hipEventSynchronize(fork_), hipSuccess);
  EXPECT_THAT(Seen(), ElementsAre(1));  // and not what came after it
  EXPECT_EQ(hipEventQuery(fork_), hipSuccess);
  EXPECT_EQ(hipEventElapsedTime(&milliseconds, fork_, fork_), hipSuccess);
  EXPECT_EQ(hipStreamQuery(first_), hipErrorNotReady);
  ASSERT_EQ(hipEventRecord(fork_, first_), hipSuccess);  // again: pending again
  EXPECT_EQ(hipEventQuery(fork_), hipErrorNotReady);
  ASSERT_EQ(hipStreamSynchronize(first_), hipSuccess);
  EXPECT_EQ(hipEventQuery(fork_), hipSuccess);
}

TEST_F(Deferred, AHostThatAsksAgainAndAgainGetsOn) {
  for (uint32_t i = 1; i <= 3; ++i) ASSERT_EQ(Append(first_, i), hipSuccess);
  int questions = 0;
  while (hipStreamQuery(first_) == hipErrorNotReady) ASSERT_LT(++questions, 100);
  EXPECT_GE(questions, 1);
  EXPECT_THAT(Seen(), ElementsAre(1, 2, 3));
}

TEST_F(Deferred, StreamsWaitForEventsOfOthers) {
  ASSERT_EQ(Append(first_, 1), hipSuccess);
  ASSERT_EQ(hipEventRecord(fork_, first_), hipSuccess);
  ASSERT_EQ(Append(first_, 3), hipSuccess);
  ASSERT_EQ(hipStreamWaitEvent(second_, fork_, 0), hipSuccess);
  ASSERT_EQ(Append(second_, 2), hipSuccess);
  ASSERT_EQ(hipEventDestroy(fork_), hipSuccess);  // only the handle ends
  ASSERT_EQ(hipEventCreate(&fork_), hipSuccess);
  ASSERT_EQ(hipStreamSynchronize(second_), hipSuccess);
  EXPECT_THAT(Seen(), ElementsAre(1, 2));
  ASSERT_EQ(hipStreamSynchronize(first_), hipSuccess);
  EXPECT_THAT(Seen(), ElementsAre(1, 2, 3));
}

// The program overwrites what a copy is to read: the copy is late.
TEST_F(Deferred, PageableSourcesAreReadLate) {
  std::vector<uint32_t> source(4, 1);
  ASSERT_EQ(hipMemcpyAsync(log_, source.data(), 16, hipMemcpyHostToDevice, first_), hipSuccess);
  std::fill(source.begin(), source.end(), 2);
  ASSERT_EQ(hipStreamSynchronize(first_), hipSuccess);
  EXPECT_EQ(ReadBack(), 2u);
}

TEST_F(Deferred, OrAtOnceByTheSeed) {
  std::set<uint32_t> seen;
  for (uint64_t seed = 0; seed < 16; ++seed) {
    gridwiseSimSeed(1, seed);
    std::vector<uint32_t> source(4, 1);
    ASSERT_EQ(hipMemcpyAsync(log_, source.data(), 16, hipMemcpyHostToDevice, first_), hipSuccess);
    std::fill(source.begin(), source.end(), 2);
    ASSERT_EQ(hipStreamSynchronize(first_), hipSuccess);
    seen.insert(ReadBack());
  }
  EXPECT_THAT(seen, UnorderedElementsAre(1, 2));
}

TEST_F(Deferred, SourcesThatAreFreedBeforeTheCopyAreAnError) {
  constexpr size_t kBytes = 1 << 20;  // memory that free gives back to the system
  uint32_t* device = nullptr;
  ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&device), kBytes), hipSuccess);
  void* const source = std::malloc(kBytes);
  std::memset(source, 1, kBytes);
  ASSERT_EQ(hipMemcpyAsync(device, source, kBytes, hipMemcpyHostToDevice, first_), hipSuccess);
  std::free(source);
  EXPECT_EQ(hipStreamSynchronize(first_), hipErrorInvalidValue);
  EXPECT_THAT(gridwiseSimLastFault(), HasSubstr("no longer there"));
  EXPECT_EQ(hipFree(device), hipSuccess);
}

TEST_F(Deferred, ArgumentsAreCopiedAndCheckedWhenTheyAreGiven) {
  EXPECT_EQ(hipModuleLaunchKernel(append_, 0, 1, 1, 1, 1, 1, 0, first_, nullptr, nullptr),
            hipErrorInvalidConfiguration);
  EXPECT_EQ(hipMemcpyAsync(log_, pinned_, kLogBytes + 4, hipMemcpyDefault, first_),
            hipErrorInvalidValue);
  EXPECT_EQ(hipStreamQuery(first_), hipSuccess);
  {
    uint32_t value = 5;
    void* arguments[] = {&pinned_, &value};
    ASSERT_EQ(hipModuleLaunchKernel(append_, 1, 1, 1, 1, 1, 1, 0, first_, arguments, nullptr),
              hipSuccess);
    value = 6;
  }
  ASSERT_EQ(hipStreamSynchronize(first_), hipSuccess);
  EXPECT_THAT(Seen(), ElementsAre(5));
}

TEST_F(Deferred, FaultsComeWithTheNextWait) {
  uint32_t* const nowhere = nullptr;
  uint32_t value = 1;
  void* arguments[] = {const_cast<uint32_t**>(&nowhere), &value};
  ASSERT_EQ(hipModuleLaunchKernel(append_, 1, 1, 1, 1, 1, 1, 0, first_, arguments, nullptr),
            hipSuccess);
  ASSERT_EQ(Append(first_, 2), hipSuccess);
  EXPECT_EQ(hipStreamSynchronize(second_), hipSuccess);
  EXPECT_EQ(hipStreamSynchronize(first_), hipErrorIllegalAddress);
  EXPECT_EQ(Append(first_, 3), hipErrorIllegalAddress);
  EXPECT_EQ(hipDeviceReset(), hipSuccess);
  EXPECT_THAT(Seen(), IsEmpty());
}

TEST_F(Deferred, WhatEndsMemoryAndModulesWaits) {
  uint32_t* memory = nullptr;
  ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&memory), 4), hipSuccess);
  ASSERT_EQ(hipMemsetAsync(memory, 0, 4, second_), hipSuccess);
  ASSERT_EQ(Append(first_, 1), hipSuccess);
  ASSERT_EQ(hipFree(memory), hipSuccess);
  EXPECT_THAT(Seen(), ElementsAre(1));

  ASSERT_EQ(Append(first_, 2), hipSuccess);
  ASSERT_EQ(hipModuleUnload(module_), hipSuccess);
  EXPECT_THAT(Seen(), ElementsAre(1, 2));
  const absl::StatusOr<Gpu> gpu = Gpu::Load({{"O3", GraphKernelsO3()}});
  ASSERT_TRUE(gpu.ok()) << gpu.status();
  module_ = gpu->module("O3");
  ASSERT_EQ(hipModuleGetFunction(&append_, module_, "Append"), hipSuccess);

  ASSERT_EQ(Append(first_, 3), hipSuccess);
  ASSERT_EQ(hipStreamDestroy(first_), hipSuccess);
  EXPECT_THAT(Seen(), ElementsAre(1, 2, 3));
  ASSERT_EQ(hipStreamCreateWithFlags(&first_, hipStreamNonBlocking), hipSuccess);

  std::vector<uint32_t> host(4);
  ASSERT_EQ(hipHostRegister(host.data(), 16, 0), hipSuccess);
  ASSERT_EQ(hipMemsetAsync(host.data(), 0xff, 16, first_), hipSuccess);
  ASSERT_EQ(hipHostUnregister(host.data()), hipSuccess);
  EXPECT_EQ(host[3], ~0u);
}

TEST_F(Deferred, HostFunctionsRunInTheirPlace) {
  std::vector<uint32_t> called;
  ASSERT_EQ(Append(first_, 1), hipSuccess);
  struct Call {
    const uint32_t* appended;
    hipStream_t stream;
    std::vector<uint32_t>* called;
  } call = {pinned_, first_, &called};
  const hipHostFn_t function = [](void* data) {
    const auto& [appended, stream, called] = *static_cast<Call*>(data);
    called->push_back(appended[0]);
    // A host function that waits for what it is part of goes on.
    EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
  };
  ASSERT_EQ(hipLaunchHostFunc(first_, function, &call), hipSuccess);
  ASSERT_EQ(hipStreamAddCallback(
                first_,
                [](hipStream_t, hipError_t status, void* data) {
                  EXPECT_EQ(status, hipSuccess);
                  static_cast<Call*>(data)->called->push_back(100);
                },
                &call, 0),
            hipSuccess);
  ASSERT_EQ(Append(first_, 2), hipSuccess);
  EXPECT_THAT(called, IsEmpty());
  ASSERT_EQ(hipStreamSynchronize(first_), hipSuccess);
  EXPECT_THAT(called, ElementsAre(1, 100));
  EXPECT_THAT(Seen(), ElementsAre(1, 2));
}

TEST_F(Deferred, ValuesInMemoryAreWaitedFor) {
  ASSERT_EQ(hipStreamWaitValue32(first_, pinned_ + 20, 1, hipStreamWaitValueGte, ~0u), hipSuccess);
  ASSERT_EQ(Append(first_, 2), hipSuccess);
  ASSERT_EQ(Append(second_, 1), hipSuccess);
  ASSERT_EQ(hipStreamWriteValue32(second_, pinned_ + 20, 1, 0), hipSuccess);
  EXPECT_EQ(pinned_[20], 0u);
  ASSERT_EQ(hipStreamSynchronize(first_), hipSuccess);
  EXPECT_THAT(Seen(), ElementsAre(1, 2));
  ASSERT_EQ(hipStreamWaitValue32(first_, pinned_ + 20, 2, hipStreamWaitValueGte, ~0u), hipSuccess);
  EXPECT_EQ(hipStreamSynchronize(first_), hipErrorNotSupported);
}

TEST_F(Deferred, GraphsAreLaunchedLate) {
  hipGraph_t graph = nullptr;
  ASSERT_EQ(Begin(first_), hipSuccess);
  ASSERT_EQ(Append(first_, 1), hipSuccess);
  ASSERT_EQ(hipEventRecordWithFlags(fork_, first_, hipEventRecordExternal), hipSuccess);
  ASSERT_EQ(Append(first_, 2), hipSuccess);
  ASSERT_EQ(hipStreamEndCapture(first_, &graph), hipSuccess);
  hipGraphExec_t exec = Instantiated(graph);
  ASSERT_EQ(hipGraphLaunch(exec, second_), hipSuccess);
  ASSERT_EQ(hipGraphExecDestroy(exec), hipSuccess);
  EXPECT_EQ(hipStreamQuery(first_), hipSuccess);
  ASSERT_EQ(Append(second_, 3), hipSuccess);
  EXPECT_THAT(Seen(), IsEmpty());
  ASSERT_EQ(hipEventSynchronize(fork_), hipSuccess);  // the graph records this event
  EXPECT_THAT(Seen(), ElementsAre(1, 2));
  ASSERT_EQ(hipStreamSynchronize(second_), hipSuccess);
  EXPECT_THAT(Seen(), ElementsAre(1, 2, 3));
}

TEST_F(Deferred, MemoryOfPoolsIsFreedInTheStreamsOrder) {
  void* memory = nullptr;
  ASSERT_EQ(hipMallocAsync(&memory, 4, first_), hipSuccess);
  ASSERT_EQ(hipMemsetAsync(memory, 0xff, 4, first_), hipSuccess);
  ASSERT_EQ(hipMemcpyAsync(pinned_ + 20, memory, 4, hipMemcpyDefault, first_), hipSuccess);
  ASSERT_EQ(hipFreeAsync(memory, first_), hipSuccess);
  ASSERT_EQ(hipStreamSynchronize(first_), hipSuccess);
  EXPECT_EQ(pinned_[20], ~0u);
  EXPECT_EQ(hipFree(memory), hipErrorInvalidValue);
}

// Two streams that nothing orders: a seed is an order, the same each time.
TEST_F(Deferred, StreamsInterleaveByTheSeed) {
  const auto order = [&](uint64_t seed) {
    gridwiseSimSeed(1, seed);
    pinned_[0] = 0;
    for (uint32_t i = 0; i < 4; ++i) {
      EXPECT_EQ(Append(first_, i), hipSuccess);
      EXPECT_EQ(Append(second_, 10 + i), hipSuccess);
    }
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    return Seen();
  };
  std::set<std::vector<uint32_t>> orders;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const std::vector<uint32_t> seen = order(seed);
    std::vector<uint32_t> first, second;
    for (const uint32_t value : seen) (value < 10 ? first : second).push_back(value);
    EXPECT_THAT(first, ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(second, ElementsAre(10, 11, 12, 13));
    gridwiseSimSeed(0, 0);
    EXPECT_EQ(order(seed), seen) << seed;
    gridwiseSimSeed(0, 0);
    orders.insert(seen);
  }
  EXPECT_GT(orders.size(), 2u);
}

TEST_F(Deferred, GoesWithChecks) {
  ASSERT_EQ(gridwiseSimCheck("deferred,check:bounds"), 0);
  gridwiseSimClearFindings();
  uint32_t* const nowhere = nullptr;
  uint32_t value = 1;
  void* arguments[] = {const_cast<uint32_t**>(&nowhere), &value};
  ASSERT_EQ(hipModuleLaunchKernel(append_, 1, 1, 1, 1, 1, 1, 0, first_, arguments, nullptr),
            hipSuccess);
  EXPECT_EQ(gridwiseSimFindingCount(), 1);  // runs what there is
  gridwiseSimClearFindings();
  EXPECT_EQ(hipDeviceReset(), hipSuccess);
  for (const char* mode : {"deferredcheck", "check,deferred", "deferred,", "deferred,bounds"})
    EXPECT_EQ(gridwiseSimCheck(mode), std::string(mode) == "deferred," ? 0 : 1) << mode;
}

TEST_F(Deferred, ThreadsWaitForWhatOthersRun) {
  for (uint32_t i = 0; i < 16; ++i) ASSERT_EQ(Append(first_, i), hipSuccess);
  std::vector<std::thread> waiting;
  for (int i = 0; i < 4; ++i) {
    waiting.emplace_back([&] {
      EXPECT_EQ(hipStreamSynchronize(first_), hipSuccess);
      EXPECT_EQ(Seen().size(), 16u);
    });
  }
  for (std::thread& thread : waiting) thread.join();
}

TEST_F(Deferred, WhatTheExtensionTellsIsOfEverythingBefore) {
  GridwiseSimRuns runs;
  gridwiseSimTakeRuns(&runs);
  ASSERT_EQ(Append(first_, 1), hipSuccess);
  ASSERT_EQ(gridwiseSimTakeRuns(&runs), 0);
  EXPECT_EQ(runs.launches, 1);
}

// A program that ends with work that it never waited for.
TEST(DeferredDeathTest, OperationsLeftAtTheEndAreAFinding) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto leave_work = [] {
    setenv("GRIDWISE_SIM_EXITCODE", "9", 1);
    gridwiseSimCheck("deferred");
    hipStream_t stream = nullptr;
    void* memory = nullptr;
    if (hipStreamCreateWithFlags(&stream, hipStreamNonBlocking) != hipSuccess ||
        hipMalloc(&memory, 4) != hipSuccess || hipMemsetAsync(memory, 0, 4, stream) != hipSuccess) {
      std::exit(1);
    }
    std::exit(0);
  };
  EXPECT_EXIT(leave_work(), testing::ExitedWithCode(9),
              "streams: the program ends without having waited.*1 operations, the first of them a "
              "fill");
}

}  // namespace
}  // namespace gridwise::sim
