// SPDX-License-Identifier: MIT
/// Orders memory accesses of different workgroups of a launch, on any XCDs.
#pragma once

#include "core/arch/gpu.h"

namespace gridwise {

#if !defined(__NVPTX__)

/// A word in device memory, on which all workgroups do atomic operations.
using DeviceWord = __attribute__((address_space(1))) unsigned long;

/// Makes the wave's writes visible to those who see a word that it writes after this.
GRIDWISE_DEVICE void ReleaseToDevice() { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent"); }
/// Makes visible to the wave what was written before a word that it has seen.
GRIDWISE_DEVICE void AcquireFromDevice() { __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent"); }

// All workgroups see operations on one word in the same order, and a lane's own in program order.

GRIDWISE_DEVICE unsigned long Look(DeviceWord* word) {
  return __scoped_atomic_load_n(word, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
/// Writes `value` if the word still holds `expected`.
GRIDWISE_DEVICE void Replace(DeviceWord* word, unsigned long expected, unsigned long value) {
  __scoped_atomic_compare_exchange_n(word, &expected, value, /*weak=*/false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
/// Adds 1. Returns the previous value.
GRIDWISE_DEVICE unsigned long CountUp(DeviceWord* word) {
  return __scoped_atomic_fetch_add(word, 1ul, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

/// Returns `value`, which may come from memory that was never written, as it happens to be: for
/// code that is correct for any value. A move of a register onto itself says so to the simulator's
/// check mode (tools/sim/check/README.md).
GRIDWISE_DEVICE unsigned long Freeze(unsigned long value) {
  auto low = static_cast<unsigned>(value), high = static_cast<unsigned>(value >> 32);
  asm volatile("v_mov_b32 %0, %0\n\tv_mov_b32 %1, %1" : "+v"(low), "+v"(high));
  return static_cast<unsigned long>(high) << 32 | low;
}

#endif

}  // namespace gridwise
