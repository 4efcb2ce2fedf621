#pragma once

#include <cstddef>

#include "hip/hip_runtime_api.h"

namespace gridwise::sim {

/// Whether [pointer, pointer + bytes) lies in one allocation of a device.
bool IsDeviceRange(const void* pointer, size_t bytes);

/// Copies; the ranges may overlap. hipErrorInvalidValue if a side that `kind` says is a device's is
/// not within one allocation, and the fault of a kernel if there was one. Reports.
hipError_t Copy(void* to, const void* from, size_t bytes, hipMemcpyKind kind);

/// Rows and slices of a box in memory.
struct Pitched {
  std::byte* base;
  size_t row_bytes;    // from one row to the next
  size_t slice_bytes;  // from one slice to the next
};

/// A box: bytes of a row, rows, slices.
struct Box {
  size_t width, height, depth;
};

/// Copies a box; the same errors. A box without bytes is copied without looking at the pointers.
hipError_t CopyBox(const Pitched& to, const Pitched& from, const Box& box, hipMemcpyKind kind);

/// Sets `box` of elements of `value_bytes` (1, 2 or 4) to the low bytes of `value`. Reports.
hipError_t FillBox(const Pitched& to, const Box& box, unsigned int value, size_t value_bytes);

}  // namespace gridwise::sim
