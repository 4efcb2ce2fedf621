/// What orders memory accesses of different workgroups of a launch, on whichever dies they are.
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

// In one order, which all workgroups see: of two that each write a word and then look at the
// other's, one sees it.

/// Writes `value`, and waits until it is there.
GRIDWISE_DEVICE void Exchange(DeviceWord* word, unsigned long value) {
  const unsigned long before =
      __scoped_atomic_exchange_n(word, value, __ATOMIC_SEQ_CST, __MEMORY_SCOPE_DEVICE);
  asm volatile("" ::"v"(before));
}
GRIDWISE_DEVICE unsigned long Look(DeviceWord* word) {
  return __scoped_atomic_load_n(word, __ATOMIC_SEQ_CST, __MEMORY_SCOPE_DEVICE);
}
/// Writes 0, which others may look at meanwhile.
GRIDWISE_DEVICE void Clear(DeviceWord* word) {
  __scoped_atomic_store_n(word, 0ul, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
/// Writes 0 in place of `expected`; whether it was there. Of several at a time one succeeds.
GRIDWISE_DEVICE bool Claim(DeviceWord* word, unsigned long expected) {
  return __scoped_atomic_compare_exchange_n(word, &expected, 0ul, /*weak=*/false, __ATOMIC_SEQ_CST,
                                            __ATOMIC_SEQ_CST, __MEMORY_SCOPE_DEVICE);
}

#endif

}  // namespace gridwise
