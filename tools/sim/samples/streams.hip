// SPDX-License-Identifier: MIT
// Work on two streams with an event between them, timing, callbacks, and the errors that a program
// asks for.

#include <hip/hip_runtime.h>

#include <vector>

#include "check.h"

__global__ void Multiply(int* values, int n, int factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= factor;
}

__global__ void AddTo(const int* from, int* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] += from[i];
}

// Two functions of the host that the stream calls in its order.
void CallBack(hipStream_t stream) {
  int called = 0;
  CHECK_HIP(hipLaunchHostFunc(stream, [](void* data) { ++*static_cast<int*>(data); }, &called));
  CHECK_HIP(hipStreamAddCallback(
      stream,
      [](hipStream_t, hipError_t status, void* data) {
        if (status == hipSuccess) ++*static_cast<int*>(data);
      },
      &called, 0));
  CHECK_HIP(hipStreamSynchronize(stream));
  CHECK(called == 2);
}

// A launch and a copy that fail, and what the program is told about them.
void AskForErrors(int* a, const int* pinned, int length) {
  Multiply<<<1, 2048>>>(a, length, 1);  // more work-items than a workgroup can have
  CHECK(hipGetLastError() == hipErrorInvalidConfiguration);
  CHECK(hipMemcpy(a, pinned, (length + 1) * sizeof(int), hipMemcpyHostToDevice) ==
        hipErrorInvalidValue);
  CHECK(hipPeekAtLastError() == hipErrorInvalidValue);
  CHECK(hipGetLastError() == hipErrorInvalidValue);
}

int main() {
  constexpr int kLength = 3000;
  int *a, *b, *pinned;
  CHECK_HIP(hipHostMalloc(reinterpret_cast<void**>(&pinned), kLength * sizeof(int), 0));
  hipStream_t first, second;
  CHECK_HIP(hipStreamCreate(&first));
  CHECK_HIP(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
  CHECK_HIP(hipMallocAsync(reinterpret_cast<void**>(&a), kLength * sizeof(int), first));
  CHECK_HIP(hipMalloc(&b, kLength * sizeof(int)));
  hipEvent_t start, ready, stop;
  CHECK_HIP(hipEventCreate(&start));
  CHECK_HIP(hipEventCreateWithFlags(&ready, hipEventDisableTiming));
  CHECK_HIP(hipEventCreate(&stop));
  for (int i = 0; i < kLength; ++i) pinned[i] = i;

  CHECK_HIP(hipEventRecord(start, first));
  CHECK_HIP(hipMemcpyAsync(a, pinned, kLength * sizeof(int), hipMemcpyHostToDevice, first));
  Multiply<<<(kLength + 127) / 128, 128, 0, first>>>(a, kLength, 3);
  CHECK_HIP(hipEventRecord(ready, first));
  CHECK_HIP(hipMemsetAsync(b, 0, kLength * sizeof(int), second));
  CHECK_HIP(hipMemsetD32Async(b, 5, kLength / 2, second));
  CHECK_HIP(hipStreamWaitEvent(second, ready, 0));
  AddTo<<<(kLength + 255) / 256, 256, 0, second>>>(a, b, kLength);
  CHECK_HIP(hipMemcpyAsync(pinned, b, kLength * sizeof(int), hipMemcpyDeviceToHost, second));
  CHECK_HIP(hipStreamSynchronize(second));
  CHECK_HIP(hipEventRecord(stop, first));
  CHECK_HIP(hipEventSynchronize(stop));
  CHECK(hipStreamQuery(first) == hipSuccess);
  for (int i = 0; i < kLength; ++i) CHECK(pinned[i] == 3 * i + (i < kLength / 2 ? 5 : 0));

  float milliseconds = -1;
  CHECK_HIP(hipEventElapsedTime(&milliseconds, start, stop));
  CHECK(milliseconds >= 0);
  CHECK(hipEventElapsedTime(&milliseconds, start, ready) == hipErrorInvalidHandle);  // no timing
  CHECK(hipGetLastError() == hipErrorInvalidHandle);
  CHECK(hipGetLastError() == hipSuccess);

  CallBack(first);
  AskForErrors(a, pinned, kLength);

  CHECK_HIP(hipFreeAsync(a, first));
  CHECK_HIP(hipFree(b));
  CHECK_HIP(hipHostFree(pinned));
  CHECK_HIP(hipEventDestroy(start));
  CHECK_HIP(hipEventDestroy(ready));
  CHECK_HIP(hipEventDestroy(stop));
  CHECK_HIP(hipStreamDestroy(first));
  CHECK_HIP(hipStreamDestroy(second));
  return 0;
}
