// SPDX-License-Identifier: MIT
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hip/hip_runtime_api.h"
#include "tools/build/code_object.h"
#include "tools/sim/hip/sim_extension.h"
#include "tools/sim/tests/graph_test.h"

// Host threads that use a device at the same time. The thread sanitizer runs this too.

namespace gridwise::sim {
namespace {

using ::testing::ElementsAre;

constexpr int kThreads = 4, kRounds = 8;

class Threads : public GraphTest {
 protected:
  void SetUp() override {
    GraphTest::SetUp();
    ASSERT_EQ(hipGetDevice(&device_), hipSuccess);
    was_timed_ = gridwiseSimIsTimed();
  }
  void TearDown() override {
    EXPECT_EQ(gridwiseSimCheck("run"), 0);
    gridwiseSimTime(was_timed_);
    GraphTest::TearDown();
  }

  /// Calls `work` on kThreads threads, all of which have begun before any of them works.
  void AtOnce(const std::function<void(int)>& work) {
    std::atomic<int> begun = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        EXPECT_EQ(hipSetDevice(device_), hipSuccess);
        ++begun;
        while (begun != kThreads) std::this_thread::yield();
        work(i);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  static hipError_t AppendTo(uint32_t* log, uint32_t value, hipStream_t stream,
                             hipFunction_t append) {
    void* arguments[] = {&log, &value};
    return hipModuleLaunchKernel(append, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr);
  }

  /// Makes a stream, an event and memory, appends two values there, and destroys them.
  static void UseAStream(hipFunction_t append, uint32_t value) {
    hipStream_t stream = nullptr;
    hipEvent_t event = nullptr;
    uint32_t* log = nullptr;
    ASSERT_EQ(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), hipSuccess);
    ASSERT_EQ(hipEventCreate(&event), hipSuccess);
    ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&log), kLogBytes), hipSuccess);
    ASSERT_EQ(hipMemsetAsync(log, 0, kLogBytes, stream), hipSuccess);
    ASSERT_EQ(AppendTo(log, value, stream, append), hipSuccess);
    ASSERT_EQ(AppendTo(log, value + 1, stream, append), hipSuccess);
    ASSERT_EQ(hipEventRecord(event, stream), hipSuccess);
    ASSERT_EQ(hipEventSynchronize(event), hipSuccess);
    std::vector<uint32_t> words(3);
    ASSERT_EQ(hipMemcpyAsync(words.data(), log, 12, hipMemcpyDeviceToHost, stream), hipSuccess);
    ASSERT_EQ(hipStreamSynchronize(stream), hipSuccess);
    EXPECT_THAT(words, ElementsAre(2, value, value + 1));
    EXPECT_EQ(hipFree(log), hipSuccess);
    EXPECT_EQ(hipEventDestroy(event), hipSuccess);
    EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
  }

  int device_ = 0, was_timed_ = 0;
};

/// Modes of gridwiseSimCheck, and "time".
class ThreadsInMode : public Threads, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    Threads::SetUp();
    const bool timed = std::string_view(GetParam()) == "time";
    gridwiseSimTime(timed ? 1 : 0);
    ASSERT_EQ(gridwiseSimCheck(timed ? "run" : GetParam()), 0);
    gridwiseSimClearFindings();
    gridwiseSimTakeTimes(&times_);
  }
  void TearDown() override {
    const bool any_timed = gridwiseSimTakeTimes(&times_) == 0;
    EXPECT_EQ(any_timed, gridwiseSimIsTimed() == 1);
    if (any_timed) EXPECT_GE(times_.launches, 2 * kThreads * kRounds);
    Threads::TearDown();
  }

 private:
  GridwiseSimTimes times_ = {};
};

TEST_P(ThreadsInMode, HaveStreamsOfTheirOwn) {
  AtOnce([&](int thread) {
    for (int i = 0; i < kRounds; ++i) UseAStream(append_, static_cast<uint32_t>(100 * thread + i));
  });
  EXPECT_EQ(gridwiseSimFindingCount(), 0);
}

/// Kernels of two devices run at the same time.
TEST_P(ThreadsInMode, HaveDevicesOfTheirOwn) {
  int count = 0;
  ASSERT_EQ(hipGetDeviceCount(&count), hipSuccess);
  ASSERT_EQ(count, 2);
  std::vector<hipModule_t> modules(2);
  std::vector<hipFunction_t> functions(2);
  for (const CodeObject& object : GraphKernelsO3()) {
    if (object.gfx != TestTarget()) continue;
    for (size_t i = 0; i < modules.size(); ++i) {
      ASSERT_EQ(hipSetDevice(static_cast<int>(i)), hipSuccess);
      ASSERT_EQ(hipModuleLoadData(&modules[i], object.data.data()), hipSuccess);
      ASSERT_EQ(hipModuleGetFunction(&functions[i], modules[i], "Append"), hipSuccess);
    }
  }
  AtOnce([&](int thread) {
    const int device = thread % 2;
    ASSERT_EQ(hipSetDevice(device), hipSuccess);
    for (int i = 0; i < kRounds; ++i)
      UseAStream(functions[static_cast<size_t>(device)], static_cast<uint32_t>(100 * thread + i));
  });
  for (hipModule_t module : modules) EXPECT_EQ(hipModuleUnload(module), hipSuccess);
  ASSERT_EQ(hipSetDevice(device_), hipSuccess);
}

INSTANTIATE_TEST_SUITE_P(Modes, ThreadsInMode,
                         testing::Values("run", "check", "deferred", "deferred,check", "time"),
                         [](const auto& mode) {
                           std::string name = mode.param;
                           std::erase(name, ',');
                           return name;
                         });

/// The launches of one stream come one after the other, whoever makes them.
TEST_F(Threads, ShareAStream) {
  constexpr uint32_t kLaunches = kThreads * kRounds;
  AtOnce([&](int thread) {
    for (int i = 0; i < kRounds; ++i) {
      EXPECT_EQ(Append(first_, static_cast<uint32_t>(1 + thread * kRounds + i)), hipSuccess);
    }
  });
  const std::vector<uint32_t> seen = Taken();
  ASSERT_EQ(seen.size(), kLaunches);
  std::vector<uint32_t> next(kThreads);
  for (const uint32_t value : seen) {
    const uint32_t thread = (value - 1) / kRounds;
    ASSERT_LT(thread, next.size());
    EXPECT_EQ((value - 1) % kRounds, next[thread]++);
  }
}

/// In time mode a launch that repeats another one is timed, and not executed again.
TEST_F(Threads, CaptureAndLaunchGraphs) {
  const bool repeats = gridwiseSimIsTimed() == 0;
  AtOnce([&](int thread) {
    for (int i = 0; i < kRounds; ++i) {
      hipStream_t stream = nullptr;
      hipGraph_t graph = nullptr;
      hipGraphExec_t exec = nullptr;
      uint32_t* log = nullptr;
      const auto value = static_cast<uint32_t>(100 * thread + i);
      ASSERT_EQ(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), hipSuccess);
      ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&log), kLogBytes), hipSuccess);
      ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal), hipSuccess);
      ASSERT_EQ(hipMemsetAsync(log, 0, kLogBytes, stream), hipSuccess);
      ASSERT_EQ(AppendTo(log, value, stream, append_), hipSuccess);
      ASSERT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
      ASSERT_EQ(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0), hipSuccess);
      ASSERT_EQ(hipGraphDestroy(graph), hipSuccess);
      for (int launch = 0; launch < 2; ++launch) {
        ASSERT_EQ(hipGraphLaunch(exec, stream), hipSuccess);
      }
      ASSERT_EQ(hipStreamSynchronize(stream), hipSuccess);
      std::vector<uint32_t> words(2);
      ASSERT_EQ(hipMemcpy(words.data(), log, 8, hipMemcpyDeviceToHost), hipSuccess);
      EXPECT_THAT(words, ElementsAre(repeats ? 1 : 0, repeats ? value : 0));
      EXPECT_EQ(hipGraphExecDestroy(exec), hipSuccess);
      EXPECT_EQ(hipFree(log), hipSuccess);
      EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
    }
  });
}

TEST_F(Threads, LoadModulesAndUnloadThem) {
  AtOnce([&](int thread) {
    for (int i = 0; i < kRounds; ++i) {
      const absl::StatusOr<Gpu> gpu = Gpu::Load({{"O3", GraphKernelsO3()}});
      ASSERT_TRUE(gpu.ok()) << gpu.status();
      hipFunction_t append = nullptr;
      uint32_t* log = nullptr;
      const auto value = static_cast<uint32_t>(100 * thread + i);
      ASSERT_EQ(hipModuleGetFunction(&append, gpu->module("O3"), "Append"), hipSuccess);
      ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&log), kLogBytes), hipSuccess);
      ASSERT_EQ(hipMemset(log, 0, kLogBytes), hipSuccess);
      ASSERT_EQ(AppendTo(log, value, nullptr, append), hipSuccess);
      std::vector<uint32_t> words(2);
      ASSERT_EQ(hipMemcpy(words.data(), log, 8, hipMemcpyDeviceToHost), hipSuccess);
      EXPECT_THAT(words, ElementsAre(1, value));
      EXPECT_EQ(hipFree(log), hipSuccess);
      EXPECT_EQ(hipModuleUnload(gpu->module("O3")), hipSuccess);
    }
  });
}

/// The launches that have finished since the last call.
uint64_t TakeLaunches() {
  GridwiseSimRuns runs;
  return gridwiseSimTakeRuns(&runs) == 0 ? static_cast<uint64_t>(runs.launches) : 0;
}

/// What one thread asks about the simulation while others run kernels.
TEST_F(Threads, AskWhileOthersRun) {
  TakeLaunches();
  uint64_t launches = 0;  // that the first thread has counted
  AtOnce([&](int thread) {
    for (int i = 0; i < kRounds; ++i) {
      if (thread != 0) {
        UseAStream(append_, static_cast<uint32_t>(100 * thread + i));
        continue;
      }
      uint64_t done = 0, total = 0;
      gridwiseSimProgress(&done, &total);
      gridwiseSimLastFault();
      gridwiseSimFidelity();
      gridwiseSimFindingCount();
      launches += TakeLaunches();
    }
  });
  EXPECT_EQ(launches + TakeLaunches(), uint64_t{2} * kRounds * (kThreads - 1));
}

}  // namespace
}  // namespace gridwise::sim
