// SPDX-License-Identifier: MIT
// Memory that host and device both use: managed variables, managed and pinned allocations,
// registered memory; and what the runtime says of such pointers.

#include <hip/hip_runtime.h>

#include <vector>

#include "check.h"

__managed__ int managed_total = 5;
__managed__ int managed_table[4] = {1, 2, 3, 4};

__global__ void Accumulate(const int* managed, const int* pinned, const int* registered, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&managed_total, managed[i] + pinned[i] + registered[i] + managed_table[i % 4]);
}

int main() {
  constexpr int kLength = 1000;
  int *managed, *pinned;
  std::vector<int> registered(kLength);
  CHECK_HIP(hipMallocManaged(&managed, kLength * sizeof(int)));
  CHECK_HIP(
      hipHostMalloc(reinterpret_cast<void**>(&pinned), kLength * sizeof(int), hipHostMallocMapped));
  CHECK_HIP(hipHostRegister(registered.data(), kLength * sizeof(int), hipHostRegisterDefault));
  managed_table[3] = 10;
  int expected = managed_total;
  for (int i = 0; i < kLength; ++i) {
    managed[i] = i;
    pinned[i] = 2 * i;
    registered[i] = 7;
    expected += 3 * i + 7 + managed_table[i % 4];
  }
  int *device_pinned, *device_registered;
  CHECK_HIP(hipHostGetDevicePointer(reinterpret_cast<void**>(&device_pinned), pinned, 0));
  CHECK_HIP(
      hipHostGetDevicePointer(reinterpret_cast<void**>(&device_registered), registered.data(), 0));
  Accumulate<<<(kLength + 63) / 64, 64>>>(managed, device_pinned, device_registered, kLength);
  CHECK_HIP(hipGetLastError());
  CHECK_HIP(hipDeviceSynchronize());
  CHECK(managed_total == expected);

  hipPointerAttribute_t attributes;
  CHECK_HIP(hipPointerGetAttributes(&attributes, managed + 1));
  CHECK(attributes.type == hipMemoryTypeManaged && attributes.isManaged == 1);
  CHECK_HIP(hipPointerGetAttributes(&attributes, pinned));
  CHECK(attributes.type == hipMemoryTypeHost && attributes.hostPointer == pinned);
  int on_stack = 0;
  CHECK_HIP(hipPointerGetAttributes(&attributes, &on_stack));
  CHECK(attributes.type == hipMemoryTypeUnregistered);
  CHECK_HIP(hipHostUnregister(registered.data()));
  CHECK(hipHostUnregister(registered.data()) == hipErrorHostMemoryNotRegistered);
  CHECK_HIP(hipHostFree(pinned));
  CHECK_HIP(hipFree(managed));
  CHECK(hipFree(managed) == hipErrorInvalidValue);
  return 0;
}
