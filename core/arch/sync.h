#pragma once

#include "core/arch/gpu.h"
#include "core/base/math.h"

namespace gridwise {

#if defined(__NVPTX__)

/// Waits until every warp of the workgroup is here, and makes memory accesses before it visible to
/// those after it.
GRIDWISE_DEVICE void BarrierLds() { asm volatile("bar.sync 0;" ::: "memory"); }

/// The assembler orders instructions by itself.
GRIDWISE_DEVICE void SchedulingFence() {}

#else

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

/// Waits until all but the last `kLeft` loads of each wave to LDS are done, and every wave of the
/// workgroup is here and has read what it reads of LDS: loads before it are visible to reads after
/// it. gfx9 alone has such loads. They count with all others of the wave and end in order; the
/// compiler knows of them only that a fence of the workgroup waits for all, so the fences here are
/// of the wave. Of other targets, which load to registers alone, it is BarrierLds.
template <int kLeft>
GRIDWISE_DEVICE void BarrierLoads() {
  static_assert(kLeft < 64);
#if defined(__gfx1201__) || defined(__gfx1100__)
  BarrierLds();
#else
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront", "local");
  // lgkmcnt(0) and vmcnt(kLeft), which has its upper bits apart; the others at their maxima.
  __builtin_amdgcn_s_waitcnt(0x0070 | (kLeft & 15) | (kLeft >> 4 << 14));
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront", "local");
#endif
}

/// What instructions the compiler is to spread (LLVM, AMDGPUUsage,
/// llvm.amdgcn.sched.group.barrier).
enum class Spread { kLoads = 0x10, kLdsReads = 0x100 };

/// Asks the compiler to issue the `kCount` such instructions of the basic block one at a time, each
/// behind one of its `kMatrix` matrix instructions, or as many as there are for each, but at most
/// `kMax`; several at a time where there are more of them.
template <Spread kWhat, int kCount, int kMatrix, int kMax = 1>
GRIDWISE_DEVICE void SpreadAmongMatrix() {
  constexpr int kIsMatrix = 0x8;
  if constexpr (kCount > 0) {
    constexpr int kAtATime = CeilDiv(kCount, kMatrix), kTimes = CeilDiv(kCount, kAtATime);
    constexpr int kEach = kMatrix / kTimes < kMax ? kMatrix / kTimes : kMax;
    for (int i = 0; i < kTimes; ++i) {
      __builtin_amdgcn_sched_group_barrier(kIsMatrix, kEach, 0);
      __builtin_amdgcn_sched_group_barrier(static_cast<int>(kWhat), kAtATime, 0);
    }
    __builtin_amdgcn_sched_group_barrier(kIsMatrix, kMatrix - kTimes * kEach, 0);
  }
}

/// Which waves of a SIMD issue first where several could: those of the highest priority, 0 to 3.
template <int kPriority>
GRIDWISE_DEVICE void SetPriority() {
  __builtin_amdgcn_s_setprio(kPriority);
}

/// The compiler moves no instruction across this point.
GRIDWISE_DEVICE void SchedulingFence() { __builtin_amdgcn_sched_barrier(0); }

/// Waits until the registers of matrix instructions are free, which CDNA leaves to the program: up
/// to 20 wait states. The compiler counts them, but where control flow meets behind a loop clang 22
/// looks at each block before once, by the longer way, and so overwrites them too early.
GRIDWISE_DEVICE void WaitMatrix() {
#if defined(__gfx942__) || defined(__gfx950__)
  SchedulingFence();
  asm volatile("s_nop 15\n\ts_nop 3");
  SchedulingFence();
#endif
}

#endif

}  // namespace gridwise
