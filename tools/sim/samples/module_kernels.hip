// SPDX-License-Identifier: MIT
#include <hip/hip_runtime.h>

__device__ float factor = 1;

extern "C" __global__ void Scale(float* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= factor;
}
