// SPDX-License-Identifier: MIT
#pragma once

#include "tools/sim/tests/group_kernels.h"

/// Atomics in memory and in LDS.

/// Every kind of global atomic on a word of its own: out[i] starts as in[i].
KERNEL void GlobalAtomics(const u32* in, u32* out, int n) {
  const int i = 256 * Group() + Item();
  const u32 x = in[(i + 1) % n];
  u32* const word = &out[i];
#define ATOMIC(OP, VALUE) \
  __hip_atomic_fetch_##OP(word, VALUE, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)
  u32 old = 0;
  switch (i % 9) {
    case 0:
      old = ATOMIC(add, x);
      break;
    case 1:
      old = ATOMIC(and, x);
      break;
    case 2:
      old = ATOMIC(or, x);
      break;
    case 3:
      old = ATOMIC(xor, x);
      break;
    case 4:
      old = ATOMIC(max, x);
      break;
    case 5:
      old = ATOMIC(min, x);
      break;
    case 6:
      old = __hip_atomic_exchange(word, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
      break;
    case 7: {
      u32 expected = i % 2 == 0 ? in[i] : in[i] + 1;
      __hip_atomic_compare_exchange_strong(word, &expected, x, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                           __HIP_MEMORY_SCOPE_AGENT);
      old = expected;
      break;
    }
    default:
      old = __hip_atomic_fetch_max(reinterpret_cast<int*>(word), static_cast<int>(x),
                                   __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  }
  out[n + i] = old;
#undef ATOMIC
}

/// Contended atomics whose result does not depend on the order: u32, u64, f32 and f64 sums of
/// integers in out[0..5], LDS sums of the same kinds in between.
KERNEL void ContendedSums(const u32* in, u32* out, int) {
  SHARED u32 sum32;
  SHARED u64 sum64;
  SHARED float sum_f32;
  SHARED double sum_f64;
  if (Item() == 0) sum32 = 0, sum64 = 0, sum_f32 = 0, sum_f64 = 0;
  Barrier();
  const u32 x = in[256 * Group() + Item()] % 1000;
#define ADD(WHERE, VALUE, SCOPE) \
  __hip_atomic_fetch_add(WHERE, VALUE, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_##SCOPE)
  ADD(&sum32, x, WORKGROUP);
  ADD(&sum64, u64{x} << 33, WORKGROUP);
  ADD(&sum_f32, static_cast<float>(x), WORKGROUP);
  ADD(&sum_f64, static_cast<double>(x), WORKGROUP);
  Barrier();
  if (Item() == 0) {
    ADD(&out[0], sum32, AGENT);
    ADD(reinterpret_cast<float*>(&out[1]), sum_f32, AGENT);
    ADD(reinterpret_cast<u64*>(&out[2]), sum64, AGENT);
    ADD(reinterpret_cast<double*>(&out[4]), sum_f64, AGENT);
  }
#undef ADD
}

/// LDS atomics that return, each on a word of its own.
KERNEL void LdsAtomics(const u32* in, u32* out, int) {
  SHARED u32 words[256];
  words[Item()] = in[256 * Group() + Item()];
  const u32 x = in[256 * Group() + (Item() + 1) % 256];
#define ATOMIC(OP) \
  __hip_atomic_fetch_##OP(&words[Item()], x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP)
  u32 old = 0;
  switch (Item() % 7) {
    case 0:
      old = ATOMIC(add);
      break;
    case 1:
      old = ATOMIC(and);
      break;
    case 2:
      old = ATOMIC(or);
      break;
    case 3:
      old = ATOMIC(xor);
      break;
    case 4:
      old = ATOMIC(max);
      break;
    case 5:
      old = ATOMIC(min);
      break;
    default:
      old = x;
      __hip_atomic_compare_exchange_strong(&words[Item()], &old, 1u, __ATOMIC_RELAXED,
                                           __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  }
#undef ATOMIC
  out[256 * Group() + Item()] = old * 3 + words[Item()];
}
