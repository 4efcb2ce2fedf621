#pragma once

#include <cstdint>
#include <vector>

#include "tools/sim/isa/target.h"

namespace gridwise::sim {

struct MemoryAccess;
struct Wave;

/// LDS is given to workgroups in blocks of so many bytes (LLVM, AMDGPU/Utils/AMDGPUBaseInfo.cpp;
/// CDNA4 ISA, "LDS Allocation").
constexpr uint32_t LdsBlockBytes(TargetBit target) { return target == kGfx950 ? 1280 : 512; }

/// Cycles of an LDS access beyond those that it takes without bank conflicts. `access` is of a wave
/// on `target`; `lds` is the address of its workgroup's LDS.
///
/// LDS serves an access in phases, of lanes that the access's width and the target determine. A
/// phase takes as many cycles as the bank with the most distinct dwords has of them: lanes that
/// access the same dword share it.
int BankConflicts(TargetBit target, const MemoryAccess& access, uint64_t lds);

/// Counts the LDS accesses of one host thread's waves.
class BankCounter {
 public:
  explicit BankCounter(TargetBit target) : target_(target) {}

  /// `instruction` of `wave` makes `access`, to any memory.
  void Note(const Wave& wave, uint32_t instruction, const MemoryAccess& access);
  /// Conflict cycles by index of the instruction in its program; those behind the last have none.
  const std::vector<int64_t>& conflicts() const { return conflicts_; }

 private:
  const TargetBit target_;
  std::vector<int64_t> conflicts_;
};

}  // namespace gridwise::sim
