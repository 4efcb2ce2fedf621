// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/memory/copy.h"

/// Variables of the device that the program names: __device__, __constant__ and __managed__ ones.

namespace gridwise::sim {

/// Where the bytes [offset, offset + bytes) of the variable are on the current device. Reports
/// errors.
hipError_t FindRange(const void* symbol, size_t offset, size_t bytes, std::byte** range);

/// Copies to and from these bytes. Report errors.
hipError_t MakeCopyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                            hipMemcpyKind kind, CopyOperation* copy);
hipError_t MakeCopyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                              hipMemcpyKind kind, CopyOperation* copy);

}  // namespace gridwise::sim
