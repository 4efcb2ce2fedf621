// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "core/arch/device_facts.h"

namespace gridwise {

/// The resources of a compute unit that a compiled kernel needs.
struct KernelNeeds {
  int registers = 0;  // vector registers per lane, including accumulation registers; 0: unknown
  int lds_bytes = 0;  // per workgroup
};

/// The needs of kernel `symbol`, from its descriptor in the code object (LLVM, User Guide for
/// AMDGPU, "Kernel Descriptor": waves of 64 lanes on gfx9, of 32 on others). Unknown if `object` is
/// not a 64-bit ELF, or has no such kernel.
KernelNeeds ReadKernelNeeds(std::string_view object, std::string_view symbol);

/// Whether `object`, an AMD code object or PTX, packed or not, has the kernel `symbol`.
bool HasKernel(std::string_view object, std::string_view symbol);

/// Workgroups of `waves` waves that fit on a compute unit at a time; at least 1.
double ResidentWorkgroups(const DeviceFacts& device, const KernelNeeds& needs, int waves);

}  // namespace gridwise
