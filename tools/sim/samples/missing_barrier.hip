// SPDX-License-Identifier: MIT
// Reverses a block's numbers through LDS, and forgets to wait until they are all there: what check
// mode is for.

#include <hip/hip_runtime.h>

#include <vector>

#include "check.h"

__global__ void Reverse(int* data) {
  __shared__ int tile[256];
  tile[threadIdx.x] = data[threadIdx.x];
  data[threadIdx.x] = tile[255 - threadIdx.x];  // __syncthreads() is missing above
}

int main() {
  std::vector<int> data(256);
  for (int i = 0; i < 256; ++i) data[i] = i;
  int* device_data;
  CHECK_HIP(hipMalloc(&device_data, 256 * sizeof(int)));
  CHECK_HIP(hipMemcpy(device_data, data.data(), 256 * sizeof(int), hipMemcpyHostToDevice));
  Reverse<<<1, 256>>>(device_data);
  CHECK_HIP(hipDeviceSynchronize());
  CHECK_HIP(hipFree(device_data));
  return 0;
}
