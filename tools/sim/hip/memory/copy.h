// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/device/runtime.h"

namespace gridwise::sim {

/// Whether [pointer, pointer + bytes) lies in one allocation of a device.
bool IsDeviceRange(const void* pointer, size_t bytes);

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

/// A copy; the ranges may overlap. A box without bytes is copied without looking at the pointers.
struct CopyOperation {
  Pitched to, from;
  Box box;
  hipMemcpyKind kind;
  std::shared_ptr<const std::vector<std::byte>> snapshot = nullptr;  // `from` points into it
};

/// Elements of `value_bytes` (1, 2 or 4) set to the low bytes of `value`; the box's width counts
/// elements.
struct FillOperation {
  Pitched to;
  Box box;
  unsigned int value;
  size_t value_bytes;
};

/// A copy of bytes in a row.
CopyOperation LinearCopy(void* to, const void* from, size_t bytes, hipMemcpyKind kind);

/// The copies that hipMemcpy3D and the driver API's variants describe. Report what is not
/// supported.
hipError_t MakeCopy(const hipMemcpy3DParms* parameters, CopyOperation* copy);
hipError_t MakeCopy(const HIP_MEMCPY3D* parameters, CopyOperation* copy);
hipError_t MakeCopy(const hip_Memcpy2D* parameters, CopyOperation* copy);

/// Reports hipErrorInvalidValue if a side on a device is not within one allocation. Returns other
/// errors for invalid pitches and kinds, without reporting them.
hipError_t Check(const CopyOperation& copy);
hipError_t Check(const FillOperation& fill);

/// Copies the source of the copy, so that the program may change it.
void TakeSnapshot(CopyOperation& copy);

/// Check and copy or fill; also the fault of a kernel of `device`, the stream's, if there was one.
/// Report.
hipError_t Run(const CopyOperation& copy, const Device* device);
hipError_t Run(const FillOperation& fill, const Device* device);

}  // namespace gridwise::sim
