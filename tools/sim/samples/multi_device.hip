// SPDX-License-Identifier: MIT
// Every device fills its half, then the first one reads the second one's memory: copied, and with
// peer access directly. A variable has a value of its own on every device.

#include <hip/hip_runtime.h>

#include <vector>

#include "check.h"

__device__ int offset;

__global__ void Fill(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = offset + i;
}

__global__ void Add(const int* a, const int* b, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}

int main() {
  constexpr int kLength = 500;
  int devices = 0;
  CHECK_HIP(hipGetDeviceCount(&devices));
  CHECK(devices == 2);
  int* parts[2];
  for (int device = 0; device < 2; ++device) {
    CHECK_HIP(hipSetDevice(device));
    CHECK_HIP(hipMalloc(&parts[device], kLength * sizeof(int)));
    const int start = 100000 * (device + 1);
    CHECK_HIP(hipMemcpyToSymbol(HIP_SYMBOL(offset), &start, sizeof(start)));
    Fill<<<(kLength + 255) / 256, 256>>>(parts[device], kLength);
    CHECK_HIP(hipGetLastError());
  }
  hipPointerAttribute_t attributes;
  CHECK_HIP(hipPointerGetAttributes(&attributes, parts[1]));
  CHECK(attributes.type == hipMemoryTypeDevice && attributes.device == 1);

  CHECK_HIP(hipSetDevice(0));
  int *copy, *sum, can = 0;
  CHECK_HIP(hipMalloc(&copy, kLength * sizeof(int)));
  CHECK_HIP(hipMalloc(&sum, kLength * sizeof(int)));
  CHECK_HIP(hipMemcpyPeer(copy, 0, parts[1], 1, kLength * sizeof(int)));
  std::vector<int> result(kLength);
  CHECK_HIP(hipDeviceCanAccessPeer(&can, 0, 1));
  CHECK(can == 1);
  CHECK_HIP(hipDeviceEnablePeerAccess(1, 0));
  CHECK(hipDeviceEnablePeerAccess(1, 0) == hipErrorPeerAccessAlreadyEnabled);
  static_cast<void>(hipGetLastError());
  for (const int* second : {static_cast<const int*>(copy), static_cast<const int*>(parts[1])}) {
    CHECK_HIP(hipMemset(sum, 0, kLength * sizeof(int)));
    Add<<<(kLength + 255) / 256, 256>>>(parts[0], second, sum, kLength);
    CHECK_HIP(hipGetLastError());
    CHECK_HIP(hipMemcpy(result.data(), sum, kLength * sizeof(int), hipMemcpyDeviceToHost));
    for (int i = 0; i < kLength; ++i) CHECK(result[i] == 300000 + 2 * i);
  }
  for (int* pointer : {parts[0], parts[1], copy, sum}) CHECK_HIP(hipFree(pointer));
  return 0;
}
