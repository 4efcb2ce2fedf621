// SPDX-License-Identifier: MIT
// C = A * B in single precision with tiles in LDS. The numbers are small integers, so the result is
// exact.

#include <hip/hip_runtime.h>

#include <vector>

#include "check.h"

constexpr int kTile = 16;

__global__ void Gemm(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int start = 0; start < k; start += kTile) {
    const int in_row = start + threadIdx.x, in_column = start + threadIdx.y;
    tile_a[threadIdx.y][threadIdx.x] = row < m && in_row < k ? a[row * k + in_row] : 0.0f;
    tile_b[threadIdx.y][threadIdx.x] =
        column < n && in_column < k ? b[in_column * n + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

float* ToDevice(const std::vector<float>& values) {
  float* device;
  CHECK_HIP(hipMalloc(&device, values.size() * sizeof(float)));
  CHECK_HIP(hipMemcpy(device, values.data(), values.size() * sizeof(float), hipMemcpyHostToDevice));
  return device;
}

int main() {
  constexpr int kM = 45, kN = 70, kK = 33;
  std::vector<float> a(kM * kK), b(kK * kN), c(kM * kN);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7) - 3;
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 5) - 2;
  float *device_a = ToDevice(a), *device_b = ToDevice(b), *device_c = ToDevice(c);
  Gemm<<<dim3((kN + kTile - 1) / kTile, (kM + kTile - 1) / kTile), dim3(kTile, kTile)>>>(
      device_a, device_b, device_c, kM, kN, kK);
  CHECK_HIP(hipGetLastError());
  CHECK_HIP(hipMemcpy(c.data(), device_c, c.size() * sizeof(float), hipMemcpyDeviceToHost));
  for (int row = 0; row < kM; ++row) {
    for (int column = 0; column < kN; ++column) {
      float expected = 0;
      for (int i = 0; i < kK; ++i) expected += a[row * kK + i] * b[i * kN + column];
      CHECK(c[row * kN + column] == expected);
    }
  }
  for (float* pointer : {device_a, device_b, device_c}) CHECK_HIP(hipFree(pointer));
  return 0;
}
