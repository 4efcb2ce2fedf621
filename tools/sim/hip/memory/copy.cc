// SPDX-License-Identifier: MIT
#include "tools/sim/hip/memory/copy.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "core/arch/target.h"
#include "core/base/math.h"
#include "tools/sim/check/device_bytes.h"
#include "tools/sim/check/settings.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/memory/allocations.h"
#include "tools/sim/memory/memory.h"
#include "tools/sim/time/session/session.h"

// Copies and fills of bytes in a row. Device addresses are host addresses, so a copy is a memmove;
// what is checked is that the device side of it lies in one allocation.

namespace gridwise::sim {
namespace {

// One side of a copy or fill.
enum class Side {
  kHost,     // by the copy's kind
  kUnknown,  // the pointer says whose it is
  kDevice,   // must be the device's
};

// Reports an error with a sentence unless the bytes at `pointer` may be touched. A pointer in no
// allocation is host memory, whose bounds are unknown.
hipError_t CheckSide(const void* pointer, size_t bytes, Side side, const char* does) {
  const auto address = reinterpret_cast<uint64_t>(pointer);
  const Device* device = DeviceOf(pointer);
  if (device != nullptr && IsDeviceRange(pointer, bytes)) return hipSuccess;
  const auto& devices = Devices();
  if (device == nullptr && side != Side::kDevice) {
    const auto freed = std::find_if(devices.begin(), devices.end(), [&](const auto& one) {
      return side != Side::kHost && one->memory.WasFreed(address);
    });
    if (freed == devices.end()) return hipSuccess;
    device = freed->get();
  }
  if (device == nullptr) device = CurrentDevice();
  const std::string sentence = absl::StrFormat(
      "%s %d bytes%s at %s", does, bytes, side == Side::kDevice ? " that must be the device's" : "",
      device == nullptr ? absl::StrFormat("%p, without a device", pointer)
                        : device->memory.Describe(address, bytes));
  return Report(hipErrorInvalidValue, sentence);
}

// As in ROCm, if a side is on a device, the pointers decide where both sides are, not the kind.
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
  const bool any_device = DeviceOf(to) != nullptr || DeviceOf(from) != nullptr;
  const auto side = [&](bool of_device) {
    if (of_device) return any_device ? Side::kUnknown : Side::kDevice;
    return kind == hipMemcpyDefault ? Side::kUnknown : Side::kHost;
  };
  if (hipError_t error = CheckSide(to, to_bytes, side(to_device), "a copy writes");
      error != hipSuccess)
    return error;
  return CheckSide(from, from_bytes, side(from_device), "a copy reads");
}

// Memory that the program got elsewhere may be gone by the time that a copy runs.
hipError_t CheckMapped(const void* pointer, size_t bytes, const char* does) {
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t begin = reinterpret_cast<uint64_t>(pointer) / page * page;
  const uint64_t end = AlignUp(reinterpret_cast<uint64_t>(pointer) + bytes, page);
  std::vector<unsigned char> present((end - begin) / page);
  if (mincore(reinterpret_cast<void*>(begin), end - begin, present.data()) == 0) return hipSuccess;
  return Report(hipErrorInvalidValue,
                absl::StrFormat("%s %d bytes at %p, host memory that is no longer there: the "
                                "program freed it before it waited for the copy",
                                does, bytes, pointer));
}

bool IsEmpty(const Box& box) { return box.width == 0 || box.height == 0 || box.depth == 0; }

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

CopyOperation LinearCopy(void* to, const void* from, size_t bytes, hipMemcpyKind kind) {
  const auto side = [](const void* pointer) {
    return Pitched{static_cast<std::byte*>(const_cast<void*>(pointer)), 0, 0};
  };
  return {side(to), side(from), {bytes, 1, 1}, kind};
}

hipError_t Check(const CopyOperation& copy) {
  const auto& [to, from, box, kind, snapshot] = copy;
  if (IsEmpty(box)) return hipSuccess;
  if (box.height > 1 && (to.row_bytes < box.width || from.row_bytes < box.width))
    return hipErrorInvalidPitchValue;
  return CheckCopy(to.base, Extent(to, box), from.base, Extent(from, box), kind);
}

void TakeSnapshot(CopyOperation& copy) {
  if (IsEmpty(copy.box)) return;
  const std::byte* const first = copy.from.base;
  copy.snapshot =
      std::make_shared<const std::vector<std::byte>>(first, first + Extent(copy.from, copy.box));
  copy.from.base = const_cast<std::byte*>(copy.snapshot->data());
}

hipError_t Run(const CopyOperation& copy, const Device* device) {
  const auto& [to, from, box, kind, snapshot] = copy;
  if (IsEmpty(box)) return Report(hipSuccess);
  if (hipError_t error = Check(copy); error != hipSuccess) return Report(error);
  if (device != nullptr && device->fault != hipSuccess) return Report(device->fault);
  if (CurrentCheckSettings().deferred) {
    hipError_t error = CheckMapped(to.base, Extent(to, box), "a copy writes");
    if (error == hipSuccess) error = CheckMapped(from.base, Extent(from, box), "a copy reads");
    if (error != hipSuccess) return error;
  }
  for (size_t slice = 0; slice < box.depth; ++slice) {
    for (size_t row = 0; row < box.height; ++row) {
      CopyRow(to.base + slice * to.slice_bytes + row * to.row_bytes,
              from.base + slice * from.slice_bytes + row * from.row_bytes, box.width);
    }
  }
  return Report(hipSuccess);
}

hipError_t Check(const FillOperation& fill) {
  const auto& [to, box, value, value_bytes] = fill;
  if (IsEmpty(box)) return hipSuccess;
  if (value_bytes != 1 && value_bytes != 2 && value_bytes != 4) return hipErrorInvalidValue;
  if (box.width > SIZE_MAX / value_bytes) return hipErrorInvalidValue;
  const Box bytes = {box.width * value_bytes, box.height, box.depth};
  if (box.height > 1 && to.row_bytes < bytes.width) return hipErrorInvalidValue;
  return CheckSide(to.base, Extent(to, bytes), Side::kDevice, "a fill writes");
}

hipError_t Run(const FillOperation& fill, const Device* device) {
  const auto& [to, box, value, value_bytes] = fill;
  if (IsEmpty(box)) return Report(hipSuccess);
  if (hipError_t error = Check(fill); error != hipSuccess) return Report(error);
  if (device != nullptr && device->fault != hipSuccess) return Report(device->fault);
  const size_t row_bytes = box.width * value_bytes;
  if (time::On() && device != nullptr)
    time::Fill(time::MachineOfDevice(device->facts), row_bytes * box.height * box.depth);
  for (size_t slice = 0; slice < box.depth; ++slice) {
    for (size_t row = 0; row < box.height; ++row) {
      std::byte* const first = to.base + slice * to.slice_bytes + row * to.row_bytes;
      DeviceBytes::Process().Written(reinterpret_cast<uint64_t>(first), row_bytes);
      if (value_bytes == 1) FillRow(first, static_cast<uint8_t>(value), row_bytes);
      if (value_bytes == 2) FillRow(first, static_cast<uint16_t>(value), row_bytes);
      if (value_bytes == 4) FillRow(first, static_cast<uint32_t>(value), row_bytes);
    }
  }
  return Report(hipSuccess);
}

}  // namespace gridwise::sim
