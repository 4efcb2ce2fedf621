// SPDX-License-Identifier: MIT
// Device code that prints, on stdout and, where an assertion fails, on stderr.

#include <hip/hip_runtime.h>

#include <cassert>

#include "check.h"

__global__ void Conversions(const char* name) {
  if (threadIdx.x != 0) return;
  printf("%d %i %u %x %#o %hhd %hd %ld %llu %zu\n", -1, 42, 4294967295u, 0xbeefu, 8, 300, 65537,
         -5'000'000'000L, 18446744073709551615ull, sizeof(int));
  printf("%5.2f|%-8.3e|%g|%G|%.0f\n", 3.14159, 12345.678f, 1e-5, 1e20, 2.5);
  printf("%c%c%% [%6s] [%-6s] [%.2s] [%*d] [%-*.*f]\n", 'o', 'k', name, "left", "cut", 5, 7, 8, 2,
         1.5);
  printf("no arguments, and a format that is longer than the seven words which fit a packet\n");
  const int written = printf("");
  printf("%d %d\n", written, printf("%s\n", "four") - 1);
}

// Every lane of many waves prints a line; the host counts them.
__global__ void Crowd(int* lines) {
  if (printf("line\n") == 5) atomicAdd(lines, 1);
}

__global__ void Assert(int bound) { assert(static_cast<int>(threadIdx.x) < bound); }

int main() {
  char* name;
  CHECK_HIP(hipMalloc(&name, 4));
  CHECK_HIP(hipMemcpy(name, "hip", 4, hipMemcpyHostToDevice));
  Conversions<<<1, 3>>>(name);
  CHECK_HIP(hipDeviceSynchronize());

  int* lines;
  CHECK_HIP(hipMalloc(&lines, sizeof(int)));
  CHECK_HIP(hipMemset(lines, 0, sizeof(int)));
  Crowd<<<3, 70>>>(lines);
  int count;
  CHECK_HIP(hipMemcpy(&count, lines, sizeof(int), hipMemcpyDeviceToHost));
  CHECK(count == 3 * 70);

  Assert<<<1, 8>>>(8);
  CHECK_HIP(hipDeviceSynchronize());
  Assert<<<1, 8>>>(7);
  CHECK(hipDeviceSynchronize() != hipSuccess);
  return 0;
}
