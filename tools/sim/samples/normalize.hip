// SPDX-License-Identifier: MIT
// Divides the rows of a matrix by their sums; one of them is 0. For the simulator's views: where a
// NaN comes from, which lines were executed, registers at a line (views_test.sh).

#include <hip/hip_runtime.h>

#include <vector>

#include "check.h"

constexpr int kRows = 4, kColumns = 100, kThreads = 64;

__global__ void Normalize(const float* in, float* out, bool centers) {
  __shared__ float sums[kThreads];
  const float* row = in + blockIdx.x * kColumns;
  float sum = 0;
  for (int i = threadIdx.x; i < kColumns; i += kThreads) sum += row[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int step = kThreads / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) sums[threadIdx.x] += sums[threadIdx.x + step];
    __syncthreads();
  }
  const float total = sums[0];
  float shift = 0;
  if (centers) {
    shift = sums[0] / kColumns * __builtin_amdgcn_sqrtf(total);  // NEVER
  }
  for (int i = threadIdx.x; i < kColumns; i += kThreads)
    out[blockIdx.x * kColumns + i] = (row[i] - shift) / total;  // NAN
}

int main() {
  std::vector<float> in(kRows * kColumns), out(in.size());
  for (int i = 0; i < kRows * kColumns; ++i) in[i] = i / kColumns == 2 ? 0 : 1 + i % 7;
  float *device_in, *device_out;
  const size_t bytes = in.size() * sizeof(float);
  CHECK_HIP(hipMalloc(&device_in, bytes));
  CHECK_HIP(hipMalloc(&device_out, bytes));
  CHECK_HIP(hipMemcpy(device_in, in.data(), bytes, hipMemcpyHostToDevice));
  Normalize<<<kRows, kThreads>>>(device_in, device_out, false);
  CHECK_HIP(hipMemcpy(out.data(), device_out, bytes, hipMemcpyDeviceToHost));
  CHECK(out[0] > 0 && out[2 * kColumns] != out[2 * kColumns]);
  CHECK_HIP(hipFree(device_in));
  CHECK_HIP(hipFree(device_out));
  return 0;
}
