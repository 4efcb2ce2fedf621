#pragma once

#include <cstdint>

#include "tools/sim/isa/target.h"

namespace gridwise::sim {

struct MemoryAccess;

/// LDS is given to workgroups in blocks of so many bytes (LLVM, AMDGPU/Utils/AMDGPUBaseInfo.cpp;
/// CDNA4 ISA, "LDS Allocation").
constexpr uint32_t LdsBlockBytes(TargetBit target) {
  return target == kGfx950 ? 1280 : target == kGfx1201 ? 1024 : 512;
}

/// Cycles of an LDS access beyond those that it takes without bank conflicts. `access` is of a wave
/// on `target`; `lds` is the address of its workgroup's LDS.
///
/// LDS serves an access in phases, of lanes that the access's width and the target determine. A
/// phase takes as many cycles as the bank with the most distinct dwords has of them: lanes that
/// access the same dword share it.
int BankConflicts(TargetBit target, const MemoryAccess& access, uint64_t lds);

}  // namespace gridwise::sim
