// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"
#include "core/base/math.h"

namespace gridwise {

#if defined(__NVPTX__)

/// Waits for every warp of the workgroup, and makes memory accesses before it visible to those
/// after it.
GRIDWISE_DEVICE void BarrierLds() { asm volatile("bar.sync 0;" ::: "memory"); }

/// The assembler orders instructions itself.
GRIDWISE_DEVICE void SchedulingFence() {}

#else

/// Waits until this wave's LDS operations are done. The immediate of s_waitcnt has its counters at
/// other bits in each generation, so one that is not named here does not compile.
GRIDWISE_DEVICE void WaitLds() {
#if defined(__GFX12__)
  asm volatile("s_wait_dscnt 0x0");
#elif defined(__GFX11__)
  __builtin_amdgcn_s_waitcnt(0xfc07);  // lgkmcnt(0), the other counters at their maxima
#elif defined(__GFX9__)
  __builtin_amdgcn_s_waitcnt(0xc07f);
#else
#error "core/arch/sync.h has no wait for LDS operations on this generation of GPUs"
#endif
}

/// Waits for every wave of the workgroup, and makes LDS writes before it visible to LDS reads after
/// it. Global memory operations may stay in flight across it: the fences name only the LDS. The
/// compiler assumes that such a fence needs no wait, as if LDS kept the operations of all waves in
/// order. But requests come through several queues (LLVM, AMDGPUUsage, memory model of gfx942), so
/// a wave's write could still be in flight when another wave reads.
GRIDWISE_DEVICE void BarrierLds() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
  WaitLds();
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
}

/// Waits until all but the last `kLeft` loads of each wave to LDS are done, and every wave of the
/// workgroup is here and has finished its earlier LDS reads. Loads before it are visible to reads
/// after it. Only gfx9 has such loads. They count with all others of the wave and end in order. The
/// compiler only knows that a fence of the workgroup waits for all of them, so the fences here are
/// of the wave. On other targets, which load only to registers, it is BarrierLds.
template <int kLeft>
GRIDWISE_DEVICE void BarrierLoads() {
  static_assert(kLeft < 64);
#if defined(__GFX11__) || defined(__GFX12__)
  BarrierLds();
#elif defined(__GFX9__)
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront", "local");
  // lgkmcnt(0) and vmcnt(kLeft), whose upper bits are separate; the others at their maxima.
  __builtin_amdgcn_s_waitcnt(0x0070 | (kLeft & 15) | (kLeft >> 4 << 14));
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront", "local");
#else
#error "core/arch/sync.h has no wait for loads to LDS on this generation of GPUs"
#endif
}

/// Instructions that the compiler spreads (LLVM, AMDGPUUsage, llvm.amdgcn.sched.group.barrier).
enum class Spread { kLoads = 0x10, kLdsReads = 0x100 };

/// Asks the compiler to issue the `kCount` such instructions of the basic block one at a time. Each
/// follows one of the `kMatrix` matrix instructions, or as many as there are per instruction, but
/// at most `kMax`. If there are more of them than matrix instructions, several are issued at a
/// time.
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

/// Sets the wave's priority, 0 to 3. If several waves of a SIMD could issue, the highest goes
/// first.
template <int kPriority>
GRIDWISE_DEVICE void SetPriority() {
  __builtin_amdgcn_s_setprio(kPriority);
}

/// Keeps the compiler from moving instructions across this point.
GRIDWISE_DEVICE void SchedulingFence() { __builtin_amdgcn_sched_barrier(0); }

/// Waits until the registers of matrix instructions are free, which CDNA leaves to the program: up
/// to 20 wait states. The compiler counts them. But where control flow joins after a loop, clang 22
/// looks at each earlier block once, by the longer way, and so overwrites them too early.
GRIDWISE_DEVICE void WaitMatrix() {
#if defined(__GFX9__)
  SchedulingFence();
  asm volatile("s_nop 15\n\ts_nop 3");
  SchedulingFence();
#endif
}

#endif

}  // namespace gridwise
