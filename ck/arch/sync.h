#pragma once

#include "ck/arch/gpu.h"

namespace gridwise {

/// Waits until every wave of the workgroup is here, and makes LDS writes before it visible to LDS
/// reads after it. Global memory operations may stay in flight across it: the fences name the LDS
/// only.
GRIDWISE_DEVICE void BarrierLds() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
}

/// The compiler moves no instruction across this point.
GRIDWISE_DEVICE void SchedulingFence() { __builtin_amdgcn_sched_barrier(0); }

}  // namespace gridwise
