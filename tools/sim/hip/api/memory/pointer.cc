// SPDX-License-Identifier: MIT
#include <cstring>
#include <optional>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/memory/allocations.h"
#include "tools/sim/memory/memory.h"

// Queries about pointers.

namespace gridwise::sim {
namespace {

hipMemoryType TypeOf(AllocationKind kind) {
  switch (kind) {
    case AllocationKind::kDevice:
      return hipMemoryTypeDevice;
    case AllocationKind::kManaged:
      return hipMemoryTypeManaged;
    case AllocationKind::kHost:
    case AllocationKind::kRegistered:
      return hipMemoryTypeHost;
  }
  return hipMemoryTypeUnregistered;
}

hipPointerAttribute_t AttributesOf(const Allocation& allocation, const void* pointer) {
  void* const address = const_cast<void*>(pointer);
  const bool on_device = allocation.type.kind == AllocationKind::kDevice;
  return {.type = TypeOf(allocation.type.kind),
          .device = IndexOf(*allocation.device),
          .devicePointer = address,
          .hostPointer = on_device ? nullptr : address,
          .isManaged = allocation.type.kind == AllocationKind::kManaged,
          .allocationFlags = allocation.type.flags};
}

template <typename T>
hipError_t Give(void* data, T value) {
  std::memcpy(data, &value, sizeof(value));
  return hipSuccess;
}

hipError_t GetAttribute(void* data, hipPointer_attribute attribute, const void* pointer) {
  const std::optional<Allocation> allocation = FindAllocation(pointer);
  if (attribute == HIP_POINTER_ATTRIBUTE_MAPPED) return Give(data, allocation.has_value());
  if (!allocation) return hipErrorInvalidValue;
  const hipPointerAttribute_t attributes = AttributesOf(*allocation, pointer);
  switch (attribute) {
    case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return Give(data, attributes.type);
    case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return Give(data, attributes.devicePointer);
    case HIP_POINTER_ATTRIBUTE_HOST_POINTER:
      return Give(data, attributes.hostPointer);
    case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
      return Give(data, attributes.isManaged != 0);
    case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return Give(data, attributes.device);
    case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return Give(data, allocation->begin);
    case HIP_POINTER_ATTRIBUTE_RANGE_SIZE:
      return Give(data, static_cast<size_t>(allocation->bytes));
    default:
      return hipErrorNotSupported;
  }
}

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* pointer) {
  if (attributes == nullptr || pointer == nullptr) return Report(hipErrorInvalidValue);
  if (const std::optional<Allocation> allocation = FindAllocation(pointer)) {
    *attributes = AttributesOf(*allocation, pointer);
  } else if (Device* device = DeviceOf(pointer)) {  // a variable of a code object
    *attributes = {.type = hipMemoryTypeDevice,
                   .device = IndexOf(*device),
                   .devicePointer = const_cast<void*>(pointer),
                   .hostPointer = nullptr,
                   .isManaged = 0,
                   .allocationFlags = 0};
  } else {  // since HIP 6 an answer, not an error
    *attributes = {.type = hipMemoryTypeUnregistered,
                   .device = -2,
                   .devicePointer = nullptr,
                   .hostPointer = nullptr,
                   .isManaged = 0,
                   .allocationFlags = 0};
  }
  return Report(hipSuccess);
}

hipError_t hipPointerGetAttribute(void* data, hipPointer_attribute attribute,
                                  hipDeviceptr_t pointer) {
  if (data == nullptr) return Report(hipErrorInvalidValue);
  return Report(GetAttribute(data, attribute, pointer));
}

hipError_t hipDrvPointerGetAttributes(unsigned int count, hipPointer_attribute* attributes,
                                      void** data, hipDeviceptr_t pointer) {
  if (attributes == nullptr || data == nullptr) return Report(hipErrorInvalidValue);
  for (unsigned int i = 0; i < count; ++i) {
    const hipError_t error = GetAttribute(data[i], attributes[i], pointer);
    if (error != hipSuccess && error != hipErrorInvalidValue) return Report(error);
  }
  return Report(hipSuccess);
}

hipError_t hipMemGetAddressRange(hipDeviceptr_t* begin, size_t* bytes, hipDeviceptr_t pointer) {
  const std::optional<Allocation> allocation = FindAllocation(pointer);
  if (!allocation) return Report(hipErrorNotFound);
  if (begin != nullptr) *begin = allocation->begin;
  if (bytes != nullptr) *bytes = allocation->bytes;
  return Report(hipSuccess);
}

hipError_t hipMemPtrGetInfo(void* pointer, size_t* bytes) {
  if (bytes == nullptr || pointer == nullptr) return Report(hipErrorInvalidValue);
  const std::optional<Allocation> allocation = FindAllocation(pointer);
  if (!allocation) return Report(hipErrorInvalidValue);
  *bytes = allocation->bytes;
  return Report(hipSuccess);
}

hipError_t hipHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned int flags) {
  if (device_pointer == nullptr || flags != 0 || !FindAllocation(host_pointer))
    return Report(hipErrorInvalidValue);
  *device_pointer = host_pointer;
  return Report(hipSuccess);
}

hipError_t hipHostGetFlags(unsigned int* flags, void* pointer) {
  if (flags == nullptr) return Report(hipErrorInvalidValue);
  const std::optional<Allocation> allocation = FindAllocation(pointer);
  if (!allocation || TypeOf(allocation->type.kind) != hipMemoryTypeHost)
    return Report(hipErrorInvalidValue);
  *flags = allocation->type.flags;
  return Report(hipSuccess);
}

}  // extern "C"
