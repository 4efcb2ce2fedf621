// SPDX-License-Identifier: MIT
// Jacobi steps on a grid, ping and pong, with the coefficients in constant memory that the host
// sets with hipMemcpyToSymbol, and a counter in a __device__ variable that it reads back.

#include <hip/hip_runtime.h>

#include <utility>
#include <vector>

#include "check.h"

__constant__ float coefficients[3];  // centre, horizontal, vertical
__device__ unsigned int updates;

__global__ void Step(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const int i = y * width + x;
  if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
    out[i] = in[i];
    return;
  }
  out[i] = coefficients[0] * in[i] + coefficients[1] * (in[i - 1] + in[i + 1]) +
           coefficients[2] * (in[i - width] + in[i + width]);
  atomicAdd(&updates, 1u);
}

int main() {
  constexpr int kWidth = 50, kHeight = 37, kSteps = 4;
  const float host_coefficients[3] = {0.5f, 0.25f, 0.125f};
  std::vector<float> grid(kWidth * kHeight), next(grid.size()), result(grid.size());
  for (size_t i = 0; i < grid.size(); ++i) grid[i] = static_cast<float>(i % 13 * 1024);

  size_t bytes = 0;
  CHECK_HIP(hipGetSymbolSize(&bytes, HIP_SYMBOL(coefficients)));
  CHECK(bytes == sizeof(host_coefficients));
  CHECK_HIP(hipMemcpyToSymbol(HIP_SYMBOL(coefficients), host_coefficients, 2 * sizeof(float)));
  CHECK_HIP(hipMemcpyToSymbol(HIP_SYMBOL(coefficients), &host_coefficients[2], sizeof(float),
                              2 * sizeof(float)));
  float *ping, *pong;
  CHECK_HIP(hipMalloc(&ping, grid.size() * sizeof(float)));
  CHECK_HIP(hipMalloc(&pong, grid.size() * sizeof(float)));
  CHECK_HIP(hipMemcpy(ping, grid.data(), grid.size() * sizeof(float), hipMemcpyHostToDevice));
  for (int step = 0; step < kSteps; ++step) {
    Step<<<dim3((kWidth + 15) / 16, (kHeight + 3) / 4), dim3(16, 4)>>>(ping, pong, kWidth, kHeight);
    std::swap(ping, pong);
  }
  CHECK_HIP(hipMemcpy(result.data(), ping, grid.size() * sizeof(float), hipMemcpyDeviceToHost));

  for (int step = 0; step < kSteps; ++step) {
    next = grid;
    for (int y = 1; y < kHeight - 1; ++y) {
      for (int x = 1; x < kWidth - 1; ++x) {
        const int i = y * kWidth + x;
        next[i] = 0.5f * grid[i] + 0.25f * (grid[i - 1] + grid[i + 1]) +
                  0.125f * (grid[i - kWidth] + grid[i + kWidth]);
      }
    }
    std::swap(grid, next);
  }
  CHECK(result == grid);  // all products and sums are exact
  unsigned int count = 0;
  CHECK_HIP(hipMemcpyFromSymbol(&count, HIP_SYMBOL(updates), sizeof(count)));
  CHECK(count == kSteps * (kWidth - 2) * (kHeight - 2));
  CHECK_HIP(hipFree(ping));
  CHECK_HIP(hipFree(pong));
  return 0;
}
