#pragma once

#include <string_view>

#include "core/arch/device_facts.h"

namespace gridwise {

/// What a compiled kernel takes of a compute unit.
struct KernelNeeds {
  int registers = 0;  // vector registers of a lane, accumulation registers with them; 0: not known
  int lds_bytes = 0;  // of a workgroup
};

/// Those of the kernel `symbol`, as its descriptor in the code object says (LLVM, User Guide for
/// AMDGPU, "Kernel Descriptor": waves of 64 lanes on gfx9, of 32 on others). Not known where
/// `object` is no ELF of 64 bits, or has no such kernel.
KernelNeeds NeedsOf(std::string_view object, std::string_view symbol);

/// Whether `object`, a code object of AMD's or PTX, packed or not, has the kernel `symbol`.
bool HasKernel(std::string_view object, std::string_view symbol);

/// Workgroups of `waves` waves that a compute unit has room for at a time; at least 1.
double ResidentWorkgroups(const DeviceFacts& device, const KernelNeeds& needs, int waves);

}  // namespace gridwise
