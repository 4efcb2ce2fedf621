// SPDX-License-Identifier: MIT
// c = a + b, with a grid that does not divide the length; prints one line on stdout.

#include <hip/hip_runtime.h>

#include <vector>

#include "check.h"

__global__ void Add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main() {
  constexpr int kLength = 10007;
  std::vector<float> a(kLength), b(kLength), c(kLength, -1.0f);
  for (int i = 0; i < kLength; ++i) {
    a[i] = static_cast<float>(i);
    b[i] = static_cast<float>(3 * i + 1);
  }
  float *device_a, *device_b, *device_c;
  CHECK_HIP(hipMalloc(&device_a, kLength * sizeof(float)));
  CHECK_HIP(hipMalloc(&device_b, kLength * sizeof(float)));
  CHECK_HIP(hipMalloc(&device_c, kLength * sizeof(float)));
  CHECK_HIP(hipMemcpy(device_a, a.data(), kLength * sizeof(float), hipMemcpyHostToDevice));
  CHECK_HIP(hipMemcpy(device_b, b.data(), kLength * sizeof(float), hipMemcpyHostToDevice));
  Add<<<(kLength + 255) / 256, 256>>>(device_a, device_b, device_c, kLength);
  CHECK_HIP(hipGetLastError());
  CHECK_HIP(hipDeviceSynchronize());
  CHECK_HIP(hipMemcpy(c.data(), device_c, kLength * sizeof(float), hipMemcpyDeviceToHost));
  for (int i = 0; i < kLength; ++i) CHECK(c[i] == static_cast<float>(4 * i + 1));
  CHECK_HIP(hipFree(device_a));
  CHECK_HIP(hipFree(device_b));
  CHECK_HIP(hipFree(device_c));
  std::printf("added %d numbers\n", kLength);
  return 0;
}
