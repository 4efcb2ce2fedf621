// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/tests/gpu.h"
#include "tools/sim/tests/graph_kernels_o3.h"

namespace gridwise::sim {

/// What a kernel leaves behind in memory says which executions there were, and in which order.
class GraphTest : public testing::Test {
 protected:
  void SetUp() override {
    const absl::StatusOr<Gpu> gpu = Gpu::Load({{"O3", GraphKernelsO3()}});
    ASSERT_TRUE(gpu.ok()) << gpu.status();
    module_ = gpu->module("O3");
    ASSERT_EQ(hipModuleGetFunction(&append_, module_, "Append"), hipSuccess);
    ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&log_), kLogBytes), hipSuccess);
    ASSERT_EQ(hipMemset(log_, 0, kLogBytes), hipSuccess);
    for (hipStream_t* stream : {&first_, &second_})
      ASSERT_EQ(hipStreamCreateWithFlags(stream, hipStreamNonBlocking), hipSuccess);
    for (hipEvent_t* event : {&fork_, &join_}) ASSERT_EQ(hipEventCreate(event), hipSuccess);
  }
  void TearDown() override {
    for (hipStream_t stream : {first_, second_}) EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
    for (hipEvent_t event : {fork_, join_}) EXPECT_EQ(hipEventDestroy(event), hipSuccess);
    EXPECT_EQ(hipFree(log_), hipSuccess);
    EXPECT_EQ(hipModuleUnload(module_), hipSuccess);
  }

  static hipError_t Begin(hipStream_t stream,
                          hipStreamCaptureMode mode = hipStreamCaptureModeGlobal) {
    return hipStreamBeginCapture(stream, mode);
  }
  static hipStreamCaptureStatus StatusOf(hipStream_t stream) {
    hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
    EXPECT_EQ(hipStreamIsCapturing(stream, &status), hipSuccess);
    return status;
  }

  hipError_t Append(hipStream_t stream, uint32_t value) {
    void* arguments[] = {&log_, &value};
    return hipModuleLaunchKernel(append_, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr);
  }

  /// Adds a node that appends `value`.
  hipGraphNode_t Add(hipGraph_t graph, uint32_t value, std::vector<hipGraphNode_t> after = {}) {
    void* arguments[] = {&log_, &value};
    const hipKernelNodeParams parameters = ParametersOf(arguments);
    hipGraphNode_t node = nullptr;
    EXPECT_EQ(hipGraphAddKernelNode(&node, graph, after.data(), after.size(), &parameters),
              hipSuccess);
    return node;
  }

  hipKernelNodeParams ParametersOf(void** arguments) const {
    return {.blockDim = dim3(1),
            .extra = nullptr,
            .func = append_,
            .gridDim = dim3(1),
            .kernelParams = arguments,
            .sharedMemBytes = 0};
  }

  /// Instantiates `graph`, which is destroyed.
  hipGraphExec_t Instantiated(hipGraph_t graph) {
    hipGraphExec_t exec = nullptr;
    EXPECT_EQ(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
    return exec;
  }

  /// What was appended since the last time, by all streams: these here wait for no other.
  std::vector<uint32_t> Taken() {
    for (hipStream_t stream : {first_, second_}) {
      if (StatusOf(stream) == hipStreamCaptureStatusNone)
        EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
    }
    std::vector<uint32_t> words(kLogBytes / 4);
    EXPECT_EQ(hipMemcpy(words.data(), log_, kLogBytes, hipMemcpyDeviceToHost), hipSuccess);
    EXPECT_EQ(hipMemset(log_, 0, kLogBytes), hipSuccess);
    return {words.begin() + 1, words.begin() + 1 + words[0]};
  }

  static constexpr size_t kLogBytes = 256;
  hipModule_t module_ = nullptr;
  hipFunction_t append_ = nullptr;
  uint32_t* log_ = nullptr;
  hipStream_t first_ = nullptr, second_ = nullptr;
  hipEvent_t fork_ = nullptr, join_ = nullptr;
};

}  // namespace gridwise::sim
