// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tools/sim/isa/target.h"

namespace gridwise::sim {

struct MemoryAccess;

/// LDS is given to workgroups in blocks of so many bytes (LLVM, AMDGPU/Utils/AMDGPUBaseInfo.cpp;
/// CDNA4 ISA, "LDS Allocation"; RDNA2 ISA 3.6.6, RDNA4 ISA 3.3.5, and Mesa's aco_ir.cpp for all
/// from gfx10.3 on, where LLVM has the unit of the kernel descriptor).
constexpr uint32_t LdsBlockBytes(TargetBit target) {
  return target == kGfx950 ? 1280 : (target & kRdna) != 0 ? 1024 : 512;
}

/// Cycles of an LDS access beyond those that it takes without bank conflicts. `access` is of a wave
/// on `target`; `lds` is the address of its workgroup's LDS.
///
/// LDS serves an access in phases, of lanes that the access's width and the target determine. A
/// phase takes as many cycles as the bank with the most distinct dwords has of them: lanes that
/// access the same dword share it.
int BankConflicts(TargetBit target, const MemoryAccess& access, uint64_t lds);

}  // namespace gridwise::sim
