// SPDX-License-Identifier: MIT
// Sums, with shuffles within a wave, LDS within a workgroup, atomics between workgroups; the block
// size is what the occupancy query says.

#include <hip/hip_runtime.h>

#include <vector>

#include "check.h"

__global__ void Sum(const int* in, int n, unsigned long long* total, int* largest) {
  __shared__ int per_wave[32];
  int sum = 0, maximum = -2147483647;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum += in[i];
    maximum = max(maximum, in[i]);
  }
  for (int offset = warpSize / 2; offset > 0; offset /= 2) sum += __shfl_down(sum, offset);
  if (threadIdx.x % warpSize == 0) per_wave[threadIdx.x / warpSize] = sum;
  atomicMax(largest, maximum);
  __syncthreads();
  if (threadIdx.x != 0) return;
  unsigned long long block_sum = 0;
  for (unsigned int wave = 0; wave * warpSize < blockDim.x; ++wave) block_sum += per_wave[wave];
  atomicAdd(total, block_sum);
}

int main() {
  constexpr int kLength = 20001;
  std::vector<int> in(kLength);
  unsigned long long expected = 0;
  int expected_largest = 0;
  for (int i = 0; i < kLength; ++i) {
    in[i] = i * 37 % 1009;
    expected += in[i];
    expected_largest = std::max(expected_largest, in[i]);
  }
  int grid = 0, block = 0, blocks_per_unit = 0;
  CHECK_HIP(hipOccupancyMaxPotentialBlockSize(&grid, &block, Sum, 0, 0));
  CHECK(block >= 64 && block <= 1024 && block % 32 == 0 && grid >= 1);
  CHECK_HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_unit, Sum, block, 0));
  CHECK(blocks_per_unit >= 1);
  hipFuncAttributes attributes;
  CHECK_HIP(hipFuncGetAttributes(&attributes, reinterpret_cast<const void*>(Sum)));
  CHECK(attributes.sharedSizeBytes == 32 * sizeof(int) && attributes.numRegs > 0);

  int *device_in, *largest;
  unsigned long long* total;
  CHECK_HIP(hipMalloc(&device_in, kLength * sizeof(int)));
  CHECK_HIP(hipMalloc(&largest, sizeof(int)));
  CHECK_HIP(hipMalloc(&total, sizeof(*total)));
  CHECK_HIP(hipMemcpy(device_in, in.data(), kLength * sizeof(int), hipMemcpyHostToDevice));
  CHECK_HIP(hipMemset(largest, 0, sizeof(int)));
  CHECK_HIP(hipMemset(total, 0, sizeof(*total)));
  Sum<<<8, block>>>(device_in, kLength, total, largest);
  CHECK_HIP(hipGetLastError());
  unsigned long long found = 0;
  int found_largest = 0;
  CHECK_HIP(hipMemcpy(&found, total, sizeof(found), hipMemcpyDeviceToHost));
  CHECK_HIP(hipMemcpy(&found_largest, largest, sizeof(int), hipMemcpyDeviceToHost));
  CHECK(found == expected);
  CHECK(found_largest == expected_largest);
  CHECK_HIP(hipFree(device_in));
  CHECK_HIP(hipFree(largest));
  CHECK_HIP(hipFree(total));
  return 0;
}
