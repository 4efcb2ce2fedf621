// SPDX-License-Identifier: MIT
// LDS whose size the launch says: reverses every workgroup's part of an array. The second launch
// asks for all the LDS that a workgroup can have, the third for more.

#include <hip/hip_runtime.h>

#include <vector>

#include "check.h"

extern __shared__ int parts[];

__global__ void Reverse(int* values, int per_block) {
  int* const own = values + blockIdx.x * per_block;
  for (int i = threadIdx.x; i < per_block; i += blockDim.x) parts[per_block - 1 - i] = own[i];
  __syncthreads();
  for (int i = threadIdx.x; i < per_block; i += blockDim.x) own[i] = parts[i];
}

int main() {
  constexpr int kBlocks = 3;
  hipDeviceProp_t properties;
  CHECK_HIP(hipGetDeviceProperties(&properties, 0));
  const int most = static_cast<int>(properties.sharedMemPerBlock / sizeof(int));
  CHECK(most >= 16384);
  std::vector<int> values(kBlocks * most);
  int* device;
  CHECK_HIP(hipMalloc(&device, values.size() * sizeof(int)));
  for (const int per_block : {1000, most}) {
    for (int i = 0; i < kBlocks * per_block; ++i) values[i] = i;
    CHECK_HIP(hipMemcpy(device, values.data(), values.size() * sizeof(int), hipMemcpyHostToDevice));
    CHECK_HIP(hipFuncSetAttribute(reinterpret_cast<const void*>(Reverse),
                                  hipFuncAttributeMaxDynamicSharedMemorySize,
                                  per_block * sizeof(int)));
    Reverse<<<kBlocks, 256, per_block * sizeof(int)>>>(device, per_block);
    CHECK_HIP(hipGetLastError());
    CHECK_HIP(hipMemcpy(values.data(), device, values.size() * sizeof(int), hipMemcpyDeviceToHost));
    for (int block = 0; block < kBlocks; ++block) {
      for (int i = 0; i < per_block; ++i) {
        CHECK(values[block * per_block + i] == block * per_block + per_block - 1 - i);
      }
    }
  }
  Reverse<<<kBlocks, 256, (most + 1) * sizeof(int)>>>(device, 1);
  CHECK(hipGetLastError() == hipErrorInvalidConfiguration);
  CHECK_HIP(hipFree(device));
  return 0;
}
