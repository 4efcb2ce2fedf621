#include "tools/sim/machine/memory.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/runtime.h"

// Memory: allocation, copies and fills. Device addresses are host addresses, so a copy is a
// memmove; what is checked is that the device side of it lies in one allocation.

namespace gridwise::sim {
namespace {

hipError_t Allocate(void** pointer, size_t bytes, std::string_view label) {
  if (pointer == nullptr) return Report(hipErrorInvalidValue);
  Device* device = CurrentDevice();
  if (device == nullptr) return Report(hipErrorNoDevice);
  *pointer = nullptr;
  if (bytes == 0) return hipSuccess;
  const absl::StatusOr<void*> allocated = device->memory.Allocate(bytes, label);
  if (!allocated.ok()) return Report(hipErrorOutOfMemory);
  *pointer = *allocated;
  return hipSuccess;
}

hipError_t Release(void* pointer) {
  if (pointer == nullptr) return hipSuccess;
  Device* device = DeviceOf(pointer);
  if (device == nullptr) return Report(hipErrorInvalidValue);
  return Report(device->memory.Free(pointer).ok() ? hipSuccess : hipErrorInvalidValue);
}

// Whether [pointer, pointer + bytes) lies in one allocation of a device.
bool IsDeviceRange(const void* pointer, size_t bytes) {
  const uint64_t first = reinterpret_cast<uint64_t>(pointer);
  for (const auto& device : Devices()) {
    const std::optional<Interval> found = device->memory.Find(first);
    if (found) return found->Covers(first, first + bytes);
  }
  return false;
}

// A pointer that is in no allocation is the host's, whose bounds nobody knows.
bool IsHostOrDeviceRange(const void* pointer, size_t bytes) {
  return DeviceOf(pointer) == nullptr || IsDeviceRange(pointer, bytes);
}

hipError_t Copy(void* to, const void* from, size_t bytes, hipMemcpyKind kind) {
  if (bytes == 0) return hipSuccess;
  if (to == nullptr || from == nullptr) return Report(hipErrorInvalidValue);
  if (kind < hipMemcpyHostToHost || kind > hipMemcpyDefault)
    return Report(hipErrorInvalidMemcpyDirection);
  const bool to_device = kind == hipMemcpyHostToDevice || kind == hipMemcpyDeviceToDevice;
  const bool from_device = kind == hipMemcpyDeviceToHost || kind == hipMemcpyDeviceToDevice;
  const bool to_ok = to_device ? IsDeviceRange(to, bytes) : IsHostOrDeviceRange(to, bytes);
  const bool from_ok = from_device ? IsDeviceRange(from, bytes) : IsHostOrDeviceRange(from, bytes);
  if (!to_ok || !from_ok) return Report(hipErrorInvalidValue);
  if (CurrentDevice() != nullptr && CurrentDevice()->fault != hipSuccess)
    return Report(CurrentDevice()->fault);
  std::memmove(to, from, bytes);
  return hipSuccess;
}

template <typename T>
hipError_t Fill(void* to, T value, size_t count) {
  if (count == 0) return hipSuccess;
  if (count > SIZE_MAX / sizeof(T) || !IsDeviceRange(to, count * sizeof(T)))
    return Report(hipErrorInvalidValue);
  std::fill_n(static_cast<T*>(to), count, value);
  return hipSuccess;
}

constexpr std::string_view kPinned = "pinned host allocation";

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipMalloc(void** pointer, size_t bytes) {
  return Allocate(pointer, bytes, "allocation");
}
hipError_t hipExtMallocWithFlags(void** pointer, size_t bytes, unsigned int) {
  return hipMalloc(pointer, bytes);
}
hipError_t hipMallocAsync(void** pointer, size_t bytes, hipStream_t) {
  return hipMalloc(pointer, bytes);
}
hipError_t hipFree(void* pointer) { return Release(pointer); }
hipError_t hipFreeAsync(void* pointer, hipStream_t) { return Release(pointer); }

hipError_t hipHostMalloc(void** pointer, size_t bytes, unsigned int) {
  return Allocate(pointer, bytes, kPinned);
}
hipError_t hipMallocHost(void** pointer, size_t bytes) { return Allocate(pointer, bytes, kPinned); }
hipError_t hipHostFree(void* pointer) { return Release(pointer); }

hipError_t hipHostRegister(void* pointer, size_t bytes, unsigned int) {
  if (pointer == nullptr || bytes == 0) return Report(hipErrorInvalidValue);
  if (CurrentDevice() == nullptr) return Report(hipErrorNoDevice);
  const bool done = CurrentDevice()->memory.Register(pointer, bytes, "registered host memory").ok();
  return Report(done ? hipSuccess : hipErrorHostMemoryAlreadyRegistered);
}

hipError_t hipHostUnregister(void* pointer) {
  Device* device = DeviceOf(pointer);
  if (device == nullptr || !device->memory.Unregister(pointer).ok())
    return Report(hipErrorHostMemoryNotRegistered);
  return hipSuccess;
}

hipError_t hipHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned int flags) {
  if (device_pointer == nullptr || flags != 0 || DeviceOf(host_pointer) == nullptr)
    return Report(hipErrorInvalidValue);
  *device_pointer = host_pointer;
  return hipSuccess;
}

hipError_t hipMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  if (CurrentDevice() == nullptr) return Report(hipErrorNoDevice);
  const Memory& memory = CurrentDevice()->memory;
  if (free_bytes != nullptr) *free_bytes = memory.capacity() - memory.allocated_bytes();
  if (total_bytes != nullptr) *total_bytes = memory.capacity();
  return hipSuccess;
}

hipError_t hipMemcpy(void* to, const void* from, size_t bytes, hipMemcpyKind kind) {
  return Copy(to, from, bytes, kind);
}
hipError_t hipMemcpyAsync(void* to, const void* from, size_t bytes, hipMemcpyKind kind,
                          hipStream_t) {
  return Copy(to, from, bytes, kind);
}
hipError_t hipMemcpyWithStream(void* to, const void* from, size_t bytes, hipMemcpyKind kind,
                               hipStream_t) {
  return Copy(to, from, bytes, kind);
}
hipError_t hipMemcpyHtoD(hipDeviceptr_t to, void* from, size_t bytes) {
  return Copy(to, from, bytes, hipMemcpyHostToDevice);
}
hipError_t hipMemcpyDtoH(void* to, hipDeviceptr_t from, size_t bytes) {
  return Copy(to, from, bytes, hipMemcpyDeviceToHost);
}
hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes) {
  return Copy(to, from, bytes, hipMemcpyDeviceToDevice);
}
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, void* from, size_t bytes, hipStream_t) {
  return hipMemcpyHtoD(to, from, bytes);
}
hipError_t hipMemcpyDtoHAsync(void* to, hipDeviceptr_t from, size_t bytes, hipStream_t) {
  return hipMemcpyDtoH(to, from, bytes);
}
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes, hipStream_t) {
  return hipMemcpyDtoD(to, from, bytes);
}

hipError_t hipMemset(void* to, int value, size_t bytes) {
  return Fill(to, static_cast<uint8_t>(value), bytes);
}
hipError_t hipMemsetAsync(void* to, int value, size_t bytes, hipStream_t) {
  return hipMemset(to, value, bytes);
}
hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, size_t count) {
  return Fill(to, value, count);
}
hipError_t hipMemsetD16(hipDeviceptr_t to, unsigned short value, size_t count) {
  return Fill(to, value, count);
}
hipError_t hipMemsetD32(hipDeviceptr_t to, int value, size_t count) {
  return Fill(to, value, count);
}
hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, size_t count, hipStream_t) {
  return Fill(to, value, count);
}
hipError_t hipMemsetD16Async(hipDeviceptr_t to, unsigned short value, size_t count, hipStream_t) {
  return Fill(to, value, count);
}
hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, size_t count, hipStream_t) {
  return Fill(to, value, count);
}

}  // extern "C"
