// SPDX-License-Identifier: MIT
// Transposes a matrix through tiles in LDS with padded rows; 2D copies with a pitch.

#include <hip/hip_runtime.h>

#include <vector>

#include "check.h"

constexpr int kTile = 32;
constexpr int kRowsPerStep = 8;

__global__ void Transpose(const int* in, size_t in_pitch, int* out, size_t out_pitch, int width,
                          int height) {
  __shared__ int tile[kTile][kTile + 1];
  const auto at = [](auto* base, size_t pitch, int y) {
    using Byte = std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(base)>>,
                                    const char, char>;
    return reinterpret_cast<decltype(base)>(reinterpret_cast<Byte*>(base) + y * pitch);
  };
  int x = blockIdx.x * kTile + threadIdx.x;
  int y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRowsPerStep) {
    if (x < width && y + j < height)
      tile[threadIdx.y + j][threadIdx.x] = at(in, in_pitch, y + j)[x];
  }
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRowsPerStep) {
    if (x < height && y + j < width)
      at(out, out_pitch, y + j)[x] = tile[threadIdx.x][threadIdx.y + j];
  }
}

int main() {
  constexpr int kWidth = 100, kHeight = 70;
  std::vector<int> in(kWidth * kHeight), out(kWidth * kHeight);
  for (int i = 0; i < kWidth * kHeight; ++i) in[i] = 7 * i + 3;
  int *device_in, *device_out;
  size_t in_pitch, out_pitch;
  CHECK_HIP(hipMallocPitch(reinterpret_cast<void**>(&device_in), &in_pitch, kWidth * sizeof(int),
                           kHeight));
  CHECK_HIP(hipMallocPitch(reinterpret_cast<void**>(&device_out), &out_pitch, kHeight * sizeof(int),
                           kWidth));
  CHECK(in_pitch >= kWidth * sizeof(int) && in_pitch % 128 == 0);
  CHECK_HIP(hipMemcpy2D(device_in, in_pitch, in.data(), kWidth * sizeof(int), kWidth * sizeof(int),
                        kHeight, hipMemcpyHostToDevice));
  const dim3 grid((kWidth + kTile - 1) / kTile, (kHeight + kTile - 1) / kTile);
  Transpose<<<grid, dim3(kTile, kRowsPerStep)>>>(device_in, in_pitch, device_out, out_pitch, kWidth,
                                                 kHeight);
  CHECK_HIP(hipGetLastError());
  CHECK_HIP(hipMemcpy2D(out.data(), kHeight * sizeof(int), device_out, out_pitch,
                        kHeight * sizeof(int), kWidth, hipMemcpyDeviceToHost));
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) CHECK(out[x * kHeight + y] == in[y * kWidth + x]);
  }
  CHECK_HIP(hipFree(device_in));
  CHECK_HIP(hipFree(device_out));
  return 0;
}
