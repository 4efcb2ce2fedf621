#include "tools/sim/hip/memory_copy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

#include "tools/sim/check/device_bytes.h"
#include "tools/sim/hip/allocations.h"
#include "tools/sim/hip/per_thread.h"
#include "tools/sim/hip/runtime.h"
#include "tools/sim/machine/memory.h"

// Copies and fills of bytes in a row. Device addresses are host addresses, so a copy is a memmove;
// what is checked is that the device side of it lies in one allocation.

namespace gridwise::sim {
namespace {

// A pointer that is in no allocation is the host's, whose bounds nobody knows.
bool IsHostOrDeviceRange(const void* pointer, size_t bytes) {
  return DeviceOf(pointer) == nullptr || IsDeviceRange(pointer, bytes);
}

hipError_t CheckCopy(const void* to, size_t to_bytes, const void* from, size_t from_bytes,
                     hipMemcpyKind kind) {
  if (to == nullptr || from == nullptr) return hipErrorInvalidValue;
  const bool to_device = kind == hipMemcpyHostToDevice || kind == hipMemcpyDeviceToDevice ||
                         kind == hipMemcpyDeviceToDeviceNoCU;
  const bool from_device = kind == hipMemcpyDeviceToHost || kind == hipMemcpyDeviceToDevice ||
                           kind == hipMemcpyDeviceToDeviceNoCU;
  const bool known =
      to_device || from_device || kind == hipMemcpyHostToHost || kind == hipMemcpyDefault;
  if (!known) return hipErrorInvalidMemcpyDirection;
  const bool to_ok = to_device ? IsDeviceRange(to, to_bytes) : IsHostOrDeviceRange(to, to_bytes);
  const bool from_ok =
      from_device ? IsDeviceRange(from, from_bytes) : IsHostOrDeviceRange(from, from_bytes);
  if (!to_ok || !from_ok) return hipErrorInvalidValue;
  return CurrentDevice() != nullptr ? CurrentDevice()->fault.load() : hipSuccess;
}

// Bytes from the first to the last of a box in memory.
size_t Extent(const Pitched& memory, const Box& box) {
  return (box.depth - 1) * memory.slice_bytes + (box.height - 1) * memory.row_bytes + box.width;
}

// Check mode keeps track of what is undefined.
void CopyRow(std::byte* to, const std::byte* from, size_t bytes) {
  if (DeviceBytes& device_bytes = DeviceBytes::Process(); device_bytes.tracks()) {
    const uint64_t from_address = reinterpret_cast<uint64_t>(from);
    const std::optional<Allocation> target = FindAllocation(to);
    if (!target || target->type.kind != AllocationKind::kDevice) {
      device_bytes.ReadByHost(from_address, bytes);
    } else {
      device_bytes.Copied(reinterpret_cast<uint64_t>(to), from_address, bytes);
    }
  }
  std::memmove(to, from, bytes);
}

template <typename T>
void FillRow(std::byte* row, T value, size_t bytes) {
  std::fill_n(reinterpret_cast<T*>(row), bytes / sizeof(T), value);
}

}  // namespace

bool IsDeviceRange(const void* pointer, size_t bytes) {
  const uint64_t first = reinterpret_cast<uint64_t>(pointer);
  for (const auto& device : Devices()) {
    const std::optional<Interval> found = device->memory.Find(first);
    if (found) return found->Covers(first, first + bytes);
  }
  return false;
}

hipError_t Copy(void* to, const void* from, size_t bytes, hipMemcpyKind kind) {
  const auto side = [](const void* pointer) {
    return Pitched{static_cast<std::byte*>(const_cast<void*>(pointer)), 0, 0};
  };
  return CopyBox(side(to), side(from), {bytes, 1, 1}, kind);
}

hipError_t CopyBox(const Pitched& to, const Pitched& from, const Box& box, hipMemcpyKind kind) {
  if (box.width == 0 || box.height == 0 || box.depth == 0) return Report(hipSuccess);
  if ((box.height > 1 && (to.row_bytes < box.width || from.row_bytes < box.width)))
    return Report(hipErrorInvalidPitchValue);
  const hipError_t error = CheckCopy(to.base, Extent(to, box), from.base, Extent(from, box), kind);
  if (error != hipSuccess) return Report(error);
  for (size_t slice = 0; slice < box.depth; ++slice) {
    for (size_t row = 0; row < box.height; ++row) {
      CopyRow(to.base + slice * to.slice_bytes + row * to.row_bytes,
              from.base + slice * from.slice_bytes + row * from.row_bytes, box.width);
    }
  }
  return Report(hipSuccess);
}

hipError_t FillBox(const Pitched& to, const Box& box, unsigned int value, size_t value_bytes) {
  if (box.width == 0 || box.height == 0 || box.depth == 0) return Report(hipSuccess);
  if (box.width > SIZE_MAX / value_bytes) return Report(hipErrorInvalidValue);
  const Box bytes = {box.width * value_bytes, box.height, box.depth};
  if (box.height > 1 && to.row_bytes < bytes.width) return Report(hipErrorInvalidValue);
  if (!IsDeviceRange(to.base, Extent(to, bytes))) return Report(hipErrorInvalidValue);
  for (size_t slice = 0; slice < box.depth; ++slice) {
    for (size_t row = 0; row < box.height; ++row) {
      std::byte* const first = to.base + slice * to.slice_bytes + row * to.row_bytes;
      DeviceBytes::Process().Written(reinterpret_cast<uint64_t>(first), bytes.width);
      if (value_bytes == 1) FillRow(first, static_cast<uint8_t>(value), bytes.width);
      if (value_bytes == 2) FillRow(first, static_cast<uint16_t>(value), bytes.width);
      if (value_bytes == 4) FillRow(first, static_cast<uint32_t>(value), bytes.width);
    }
  }
  return Report(hipSuccess);
}

}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

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
  return Copy(to, from, bytes, hipMemcpyHostToDevice);
}
hipError_t hipMemcpyDtoHAsync(void* to, hipDeviceptr_t from, size_t bytes, hipStream_t) {
  return Copy(to, from, bytes, hipMemcpyDeviceToHost);
}
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes, hipStream_t) {
  return Copy(to, from, bytes, hipMemcpyDeviceToDevice);
}

hipError_t hipMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
  if (DeviceAt(to_device) == nullptr || DeviceAt(from_device) == nullptr)
    return Report(hipErrorInvalidDevice);
  return Copy(to, from, bytes, hipMemcpyDeviceToDevice);
}
hipError_t hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                              size_t bytes, hipStream_t) {
  return hipMemcpyPeer(to, to_device, from, from_device, bytes);
}

GRIDWISE_PER_THREAD(hipMemcpy);
GRIDWISE_PER_THREAD(hipMemcpyAsync);

}  // extern "C"
