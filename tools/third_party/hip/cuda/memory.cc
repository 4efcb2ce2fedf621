// SPDX-License-Identifier: MIT
#include "tools/third_party/hip/cuda/driver.h"

using gridwise::cuda::Address;
using gridwise::cuda::Call;
using gridwise::cuda::Driver;

extern "C" {

hipError_t hipMalloc(void** data, size_t bytes) {
  std::uint64_t address = 0;
  const hipError_t error = Call<&Driver::MemAlloc>(&address, bytes);
  *data = reinterpret_cast<void*>(address);
  return error;
}

hipError_t hipFree(void* data) {
  return data == nullptr ? hipSuccess : Call<&Driver::MemFree>(Address(data));
}

hipError_t hipMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  return Call<&Driver::MemGetInfo>(free_bytes, total_bytes);
}

// The driver sees from the addresses which way a copy goes.
hipError_t hipMemcpy(void* to, const void* from, size_t bytes, hipMemcpyKind) {
  return Call<&Driver::Memcpy>(Address(to), Address(from), bytes);
}

hipError_t hipMemcpyAsync(void* to, const void* from, size_t bytes, hipMemcpyKind,
                          hipStream_t stream) {
  return Call<&Driver::MemcpyAsync>(Address(to), Address(from), bytes, stream);
}

hipError_t hipMemset(void* to, int value, size_t bytes) {
  return Call<&Driver::MemsetD8>(Address(to), static_cast<unsigned char>(value), bytes);
}

hipError_t hipMemsetAsync(void* to, int value, size_t bytes, hipStream_t stream) {
  return Call<&Driver::MemsetD8Async>(Address(to), static_cast<unsigned char>(value), bytes,
                                      stream);
}

}  // extern "C"
