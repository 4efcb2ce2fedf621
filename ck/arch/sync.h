#pragma once

#include "ck/arch/gpu.h"

namespace gridwise {

/// Waits until this wave's LDS operations are done.
GRIDWISE_DEVICE void WaitLds() {
#if defined(__gfx1201__)
  asm volatile("s_wait_dscnt 0x0");
#elif defined(__gfx1100__)
  __builtin_amdgcn_s_waitcnt(0xfc07);  // lgkmcnt(0), the other counters at their maxima
#else
  __builtin_amdgcn_s_waitcnt(0xc07f);
#endif
}

/// Waits until every wave of the workgroup is here, and makes LDS writes before it visible to LDS
/// reads after it. Global memory operations may stay in flight across it: the fences name the LDS
/// only. The compiler takes such a fence to need no wait, as if LDS kept the operations of all
/// waves in order; but its requests come through several queues (LLVM, AMDGPUUsage, memory model of
/// gfx942), so that a wave's write could still be under way when another one reads.
GRIDWISE_DEVICE void BarrierLds() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
  WaitLds();
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
}

/// The compiler moves no instruction across this point.
GRIDWISE_DEVICE void SchedulingFence() { __builtin_amdgcn_sched_barrier(0); }

}  // namespace gridwise
