/// What orders memory accesses of different workgroups of a launch, on whichever XCDs they are.
#pragma once

#include "core/arch/gpu.h"

namespace gridwise {

#if !defined(__NVPTX__)

/// A word in device memory, where atomic operations of all workgroups meet.
using DeviceWord = __attribute__((address_space(1))) unsigned long;

/// Makes what the wave has written visible to those who see a word that it writes from then on.
GRIDWISE_DEVICE void ReleaseToDevice() { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent"); }
/// Makes visible to the wave what was so before a word that it has seen.
GRIDWISE_DEVICE void AcquireFromDevice() { __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent"); }

// Of one word, all workgroups see operations in the same order, and a lane's own in that of the
// program.

GRIDWISE_DEVICE unsigned long Look(DeviceWord* word) {
  return __scoped_atomic_load_n(word, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
/// Writes `value` if `expected` is still there.
GRIDWISE_DEVICE void Replace(DeviceWord* word, unsigned long expected, unsigned long value) {
  __scoped_atomic_compare_exchange_n(word, &expected, value, /*weak=*/false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
/// Adds 1; what was there before.
GRIDWISE_DEVICE unsigned long CountUp(DeviceWord* word) {
  return __scoped_atomic_fetch_add(word, 1ul, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

/// `value`, which may come from memory that was never written, as what it happens to be: for code
/// that is right whatever it is. A move of a register onto itself says so to the simulator's check
/// mode (tools/sim/check/README.md).
GRIDWISE_DEVICE unsigned long Freeze(unsigned long value) {
  auto low = static_cast<unsigned>(value), high = static_cast<unsigned>(value >> 32);
  asm volatile("v_mov_b32 %0, %0\n\tv_mov_b32 %1, %1" : "+v"(low), "+v"(high));
  return static_cast<unsigned long>(high) << 32 | low;
}

#endif

}  // namespace gridwise
