// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tools/sim/isa/target.h"

namespace gridwise::sim {

struct MemoryAccess;

/// Bytes of the blocks in which LDS is given to workgroups (LLVM, AMDGPU/Utils/AMDGPUBaseInfo.cpp;
/// CDNA4 ISA, "LDS Allocation"; RDNA2 ISA 3.6.6, RDNA4 ISA 3.3.5, and Mesa's aco_ir.cpp for all
/// from gfx10.3 on, where LLVM has the unit of the kernel descriptor).
constexpr uint32_t LdsBlockBytes(TargetBit target) {
  return target == kGfx950 ? 1280 : (target & kRdna) != 0 ? 1024 : 512;
}

/// Cycles that bank conflicts add to an LDS access. `access` is of a wave on `target`; `lds` is the
/// address of its workgroup's LDS.
///
/// LDS serves an access in phases; the access's width and the target determine which lanes a phase
/// has. A phase takes as many cycles as the largest number of distinct dwords in one bank. Lanes
/// that access the same dword share it.
int BankConflicts(TargetBit target, const MemoryAccess& access, uint64_t lds);

}  // namespace gridwise::sim
