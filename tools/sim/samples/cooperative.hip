// SPDX-License-Identifier: MIT
// A prefix sum over the grid in one launch: workgroups wait for each other with a grid barrier. A
// grid that does not fit on the device is refused.

#include <hip/hip_cooperative_groups.h>
#include <hip/hip_runtime.h>

#include <vector>

#include "check.h"

constexpr int kBlock = 128;

__global__ void SumOfEarlierBlocks(const int* in, int* block_sums, int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[blockIdx.x * kBlock + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) block_sums[blockIdx.x] = sum;
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0) {
    int before = 0;
    for (unsigned int block = 0; block < gridDim.x; ++block) {
      if (block != blockIdx.x) before += block_sums[block] * (block < blockIdx.x ? 1 : 1000);
    }
    out[blockIdx.x] = before;
  }
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0) block_sums[blockIdx.x] = 0;
}

int main() {
  constexpr int kBlocks = 24;
  std::vector<int> in(kBlocks * kBlock), out(kBlocks), sums(kBlocks);
  for (int i = 0; i < kBlocks * kBlock; ++i) {
    in[i] = i % 11;
    sums[i / kBlock] += in[i];
  }
  hipDeviceProp_t properties;
  CHECK_HIP(hipGetDeviceProperties(&properties, 0));
  CHECK(properties.cooperativeLaunch == 1);
  int *device_in, *device_sums, *device_out;
  CHECK_HIP(hipMalloc(&device_in, in.size() * sizeof(int)));
  CHECK_HIP(hipMalloc(&device_sums, kBlocks * sizeof(int)));
  CHECK_HIP(hipMalloc(&device_out, kBlocks * sizeof(int)));
  CHECK_HIP(hipMemcpy(device_in, in.data(), in.size() * sizeof(int), hipMemcpyHostToDevice));
  void* arguments[] = {&device_in, &device_sums, &device_out};
  CHECK_HIP(hipLaunchCooperativeKernel(reinterpret_cast<const void*>(SumOfEarlierBlocks),
                                       dim3(kBlocks), dim3(kBlock), arguments, 0, nullptr));
  CHECK_HIP(hipMemcpy(out.data(), device_out, kBlocks * sizeof(int), hipMemcpyDeviceToHost));
  for (int block = 0; block < kBlocks; ++block) {
    int expected = 0;
    for (int other = 0; other < kBlocks; ++other) {
      if (other != block) expected += sums[other] * (other < block ? 1 : 1000);
    }
    CHECK(out[block] == expected);
  }
  int per_unit = 0;
  CHECK_HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&per_unit, SumOfEarlierBlocks, kBlock, 0));
  CHECK(hipLaunchCooperativeKernel(reinterpret_cast<const void*>(SumOfEarlierBlocks),
                                   dim3(per_unit * properties.multiProcessorCount + 1),
                                   dim3(kBlock), arguments, 0,
                                   nullptr) == hipErrorCooperativeLaunchTooLarge);
  CHECK_HIP(hipFree(device_in));
  CHECK_HIP(hipFree(device_sums));
  CHECK_HIP(hipFree(device_out));
  return 0;
}
