// SPDX-License-Identifier: MIT
// Step 3: a kernel whose sums depend on the order in which waves run, and the line that is wrong.
//
//   ./bazelw run //tools/sim:hipcc -- -g docs/tutorial/find_a_race.hip -o /tmp/find_a_race
//   ./bazelw run //tools/sim:run -- --check /tmp/find_a_race
//
// Each workgroup sums 256 numbers by halves. The barrier between two halves is missing: a wave may
// read what another one has not written yet. Only waves that run in step give 256.

#include <hip/hip_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kThreads = 256;

__global__ void Sum(const int* numbers, int* sums) {
  __shared__ int partial[kThreads];
  partial[threadIdx.x] = numbers[blockIdx.x * kThreads + threadIdx.x];
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    // __syncthreads() belongs here.
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
}

int main() {
  const std::vector<int> numbers(4 * kThreads, 1);
  std::vector<int> sums(4);
  int *device_numbers = nullptr, *device_sums = nullptr;
  if (hipMalloc(&device_numbers, numbers.size() * sizeof(int)) != hipSuccess) return 1;
  if (hipMalloc(&device_sums, sums.size() * sizeof(int)) != hipSuccess) return 1;
  if (hipMemcpy(device_numbers, numbers.data(), numbers.size() * sizeof(int),
                hipMemcpyHostToDevice) != hipSuccess)
    return 1;
  Sum<<<4, kThreads>>>(device_numbers, device_sums);
  if (hipMemcpy(sums.data(), device_sums, sums.size() * sizeof(int), hipMemcpyDeviceToHost) !=
      hipSuccess)
    return 1;
  std::fprintf(stderr, "sums %d %d %d %d\n", sums[0], sums[1], sums[2], sums[3]);
  return 0;
}
