// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"

namespace gridwise {

/// Kinds of instructions (LLVM, AMDGPUUsage, llvm.amdgcn.sched.group.barrier).
enum class Issue { kLoads = 0x20, kLdsReads = 0x100 };

/// Asks the compiler to issue next `kCount` such instructions of the basic block, or as many as
/// there are. Hints follow the code that they apply to, in the desired order.
template <Issue kWhat, int kCount>
GRIDWISE_DEVICE void IssueNext() {
  if constexpr (kCount > 0)
    __builtin_amdgcn_sched_group_barrier(static_cast<int>(kWhat), kCount, 0);
}

}  // namespace gridwise
