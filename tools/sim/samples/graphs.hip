// SPDX-License-Identifier: MIT
// A captured graph of kernels, copies and fills on two streams, launched again and again; and one
// made by hand.

#include <hip/hip_runtime.h>

#include <vector>

#include "check.h"

__device__ int addend = 0;

__global__ void Multiply(int* values, int n, int factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= factor;
}

__global__ void AddTo(const int* from, int* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] += from[i] + addend;
}

constexpr int kLength = 3000;
constexpr size_t kBytes = kLength * sizeof(int);

// to = 3 * from + 5 + 7, by a fork and a join.
hipGraph_t Captured(hipStream_t first, hipStream_t second, const int* host, int* from, int* to) {
  static const int kSeven = 7;
  hipEvent_t fork, join;
  hipGraph_t graph;
  CHECK_HIP(hipEventCreateWithFlags(&fork, hipEventDisableTiming));
  CHECK_HIP(hipEventCreateWithFlags(&join, hipEventDisableTiming));
  CHECK_HIP(hipStreamBeginCapture(first, hipStreamCaptureModeGlobal));
  CHECK_HIP(hipEventRecord(fork, first));
  CHECK_HIP(hipStreamWaitEvent(second, fork, 0));
  CHECK_HIP(hipMemcpyAsync(from, host, kBytes, hipMemcpyHostToDevice, first));
  Multiply<<<(kLength + 127) / 128, 128, 0, first>>>(from, kLength, 3);
  CHECK_HIP(hipGetLastError());
  CHECK_HIP(hipMemsetD32Async(to, 5, kLength, second));
  CHECK_HIP(hipMemcpyToSymbolAsync(HIP_SYMBOL(addend), &kSeven, sizeof(int), 0,
                                   hipMemcpyHostToDevice, second));
  CHECK_HIP(hipEventRecord(join, second));
  CHECK_HIP(hipStreamWaitEvent(first, join, 0));
  AddTo<<<(kLength + 255) / 256, 256, 0, first>>>(from, to, kLength);
  CHECK_HIP(hipStreamEndCapture(first, &graph));
  CHECK_HIP(hipEventDestroy(fork));
  CHECK_HIP(hipEventDestroy(join));
  return graph;
}

// The arguments of the graph's second kernel are changed after it was instantiated.
void MadeByHand(hipStream_t stream, int* values) {
  hipGraph_t graph;
  hipGraphExec_t exec;
  hipGraphNode_t fill, multiply, read;
  int n = kLength, factor = 2;
  std::vector<int> result(kLength);
  CHECK_HIP(hipGraphCreate(&graph, 0));
  hipMemsetParams set = {};
  set.dst = values;
  set.value = 11;
  set.elementSize = 4;
  set.width = kLength;
  set.height = 1;
  CHECK_HIP(hipGraphAddMemsetNode(&fill, graph, nullptr, 0, &set));
  void* arguments[] = {&values, &n, &factor};
  hipKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void*>(Multiply);
  kernel.gridDim = dim3((kLength + 63) / 64);
  kernel.blockDim = dim3(64);
  kernel.kernelParams = arguments;
  CHECK_HIP(hipGraphAddKernelNode(&multiply, graph, &fill, 1, &kernel));
  CHECK_HIP(hipGraphAddMemcpyNode1D(&read, graph, &multiply, 1, result.data(), values, kBytes,
                                    hipMemcpyDeviceToHost));
  CHECK_HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  CHECK_HIP(hipGraphLaunch(exec, stream));
  CHECK_HIP(hipStreamSynchronize(stream));
  for (const int value : result) CHECK(value == 22);
  factor = 3;
  CHECK_HIP(hipGraphExecKernelNodeSetParams(exec, multiply, &kernel));
  CHECK_HIP(hipGraphLaunch(exec, stream));
  CHECK_HIP(hipStreamSynchronize(stream));
  for (const int value : result) CHECK(value == 33);
  CHECK_HIP(hipGraphExecDestroy(exec));
  CHECK_HIP(hipGraphDestroy(graph));
}

int main() {
  int *from, *to;
  std::vector<int> host(kLength), result(kLength);
  hipStream_t first, second;
  CHECK_HIP(hipMalloc(&from, kBytes));
  CHECK_HIP(hipMalloc(&to, kBytes));
  CHECK_HIP(hipMemset(to, 0, kBytes));
  CHECK_HIP(hipStreamCreate(&first));
  CHECK_HIP(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
  hipGraph_t graph = Captured(first, second, host.data(), from, to);
  CHECK_HIP(hipMemcpy(result.data(), to, kBytes, hipMemcpyDeviceToHost));
  for (const int value : result) CHECK(value == 0);
  hipGraphExec_t exec;
  CHECK_HIP(hipGraphInstantiateWithFlags(&exec, graph, 0));
  CHECK_HIP(hipGraphDestroy(graph));
  for (int launch = 0; launch < 3; ++launch) {
    for (int i = 0; i < kLength; ++i) host[i] = i + launch;
    CHECK_HIP(hipGraphLaunch(exec, first));
    CHECK_HIP(hipMemcpy(result.data(), to, kBytes, hipMemcpyDeviceToHost));
    for (int i = 0; i < kLength; ++i) CHECK(result[i] == 3 * (i + launch) + 12);
  }
  CHECK_HIP(hipGraphExecDestroy(exec));
  MadeByHand(first, from);
  CHECK_HIP(hipStreamDestroy(first));
  CHECK_HIP(hipStreamDestroy(second));
  CHECK_HIP(hipFree(from));
  CHECK_HIP(hipFree(to));
  return 0;
}
