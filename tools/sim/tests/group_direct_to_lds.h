// SPDX-License-Identifier: MIT
#pragma once

#include "tools/sim/tests/group_kernels.h"

/// Loads from memory straight to LDS.

#if defined(__GFX9__)
/// Words straight from global memory to LDS, in reverse order of waves.
KERNEL void DirectToLds(const u32* in, u32* out, int) {
  SHARED u32 words[256];
  const int wave = Item() / 64;
  __builtin_amdgcn_global_load_lds(const_cast<__attribute__((address_space(1))) u32*>(
                                       (const __attribute__((address_space(1)))
                                        u32*)(in + 256 * Group() + 64 * wave + (63 - Lane()))),
                                   (__attribute__((address_space(3)))
                                    u32*)(words + 64 * __builtin_amdgcn_readfirstlane(3 - wave)),
                                   4, 0, 0);
  __builtin_amdgcn_s_waitcnt(0);
  Barrier();
  out[256 * Group() + Item()] = words[Item()];
}

/// A word of LDS. The compiler would wait for loads to LDS before it reads: it does not know where
/// they write.
__attribute__((device)) inline u32 ReadLdsNow(const u32* at) {
  u32 value;
  asm volatile("ds_read_b32 %0, %1\n\ts_waitcnt lgkmcnt(0)"
               : "=v"(value)
               : "v"((const __attribute__((address_space(3))) u32*)at)
               : "memory");
  return value;
}

/// The same into a ring of three buffers, whose loads stay on their way across a barrier, one round
/// longer than the barrier's: out = the block's words 255 - i + 16 * round, mixed over the rounds.
/// A round reads its buffer before it starts loads, or after that.
template <bool kLoadsFirst>
__attribute__((device)) inline void RingOfLoadsToLds(const u32* in, u32* out) {
  SHARED u32 words[3][256];
  const int wave = __builtin_amdgcn_readfirstlane(Item() / 64);
  const auto load = [&](int round) {
    const u32* const from = in + 256 * Group() + (Item() + 16 * round) % 256;
    __builtin_amdgcn_global_load_lds(
        const_cast<__attribute__((address_space(1))) u32*>(
            (const __attribute__((address_space(1))) u32*)from),
        (__attribute__((address_space(3))) u32*)(words[round % 3] + 64 * wave), 4, 0, 0);
  };
  constexpr int kRounds = 6;
  load(0);
  load(1);
  u32 mixed = 0;
  const auto barrier_and_mix = [&](int round) {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront", "local");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront", "local");
    if (kLoadsFirst && round + 2 < kRounds) load(round + 2);
    const u32* const word = &words[round % 3][255 - Item()];
    mixed = 31 * mixed + (kLoadsFirst ? ReadLdsNow(word) : *word);
  };
#pragma clang loop unroll(full)
  for (int round = 0; round < kRounds - 1; ++round) {
    __builtin_amdgcn_s_waitcnt(0x0071);  // vmcnt(1) lgkmcnt(0)
    barrier_and_mix(round);
    if (!kLoadsFirst && round + 2 < kRounds) load(round + 2);
  }
  __builtin_amdgcn_s_waitcnt(0x0070);
  barrier_and_mix(kRounds - 1);
  out[256 * Group() + Item()] = mixed;
}
KERNEL void DirectToLdsRing(const u32* in, u32* out, int) { RingOfLoadsToLds<false>(in, out); }
KERNEL void DirectToLdsRingLoadsFirst(const u32* in, u32* out, int) {
  RingOfLoadsToLds<true>(in, out);
}
#endif
