// SPDX-License-Identifier: MIT
#pragma once

#include "tools/sim/tests/group_kernels.h"

/// Ways to address memory, and atomics.

#if defined(__GFX9__)
constexpr int kBufferFormat = 0x00027000;
#else
constexpr int kBufferFormat = 0x31004000;  // OOB_SELECT 3: by bytes
#endif

/// Buffer loads of 1, 2 and 4 dwords and of shorts whose range ends at word n - 3: what lies past
/// it reads as 0; and a buffer store that drops what is past the end. Strides make some accesses
/// straddle it.
KERNEL void BufferRange(const u32* in, u32* out, int n) {
  typedef u32 u32x2 __attribute__((ext_vector_type(2)));
  typedef u32 u32x4 __attribute__((ext_vector_type(4)));
  const int i = 256 * Group() + Item();
  const __amdgpu_buffer_rsrc_t source =
      __builtin_amdgcn_make_buffer_rsrc(const_cast<u32*>(in), 0, 4 * (n - 3), kBufferFormat);
  const __amdgpu_buffer_rsrc_t target =
      __builtin_amdgcn_make_buffer_rsrc(out, 0, 4 * (n - 3), kBufferFormat);
  const u32 one = __builtin_amdgcn_raw_buffer_load_b32(source, 4 * i + 8, 0, 0);
  const u32x2 two = __builtin_amdgcn_raw_buffer_load_b64(source, 4 * i, 4, 0);
  const u32x4 four = __builtin_amdgcn_raw_buffer_load_b128(source, i % 5 == 0 ? -1 : 4 * i, 0, 0);
  const u32 part = __builtin_amdgcn_raw_buffer_load_b16(source, 4 * i + 2, 0, 0);
  const u32x4 result = {one + 3 * two.x + 5 * two.y + part, four.x, four.y, four.z + 7 * four.w};
  const u32 folded = result.x ^ (result.y << 1) ^ (result.z << 2) ^ (result.w << 3);
  __builtin_amdgcn_raw_buffer_store_b32(folded, target, 4 * i, 0, 0);
}

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

/// Bytes, shorts, 64- and 128-bit values in LDS.
KERNEL void LdsWidths(const u32* in, u32* out, int) {
  struct alignas(16) Block {
    u32 w[4];
  };
  SHARED Block memory[64];
  auto* words = reinterpret_cast<u32*>(memory);
  auto* bytes = reinterpret_cast<u8*>(memory);
  auto* shorts = reinterpret_cast<short*>(memory);
  words[Item()] = in[256 * Group() + Item()];
  Barrier();
  const u32 mixed = bytes[(5 * Item()) % 1024] +
                    256 * static_cast<signed char>(bytes[(3 * Item() + 1) % 1024]) +
                    65536u * static_cast<u32>(shorts[(7 * Item()) % 512]);
  const u64 pair = reinterpret_cast<u64*>(memory)[(Item() * 3) % 128];
  const Block block = memory[(Item() * 5) % 64];
  Barrier();
  bytes[4 * Item() + 1] = static_cast<u8>(mixed >> 3);
  shorts[2 * Item() + 1] = static_cast<short>(mixed);
  Barrier();
  out[256 * Group() + Item()] = words[Item()] + static_cast<u32>(pair >> 32) +
                                3 * static_cast<u32>(pair) +
                                (block.w[0] ^ block.w[1] ^ block.w[2] ^ (block.w[3] << 1));
}

/// One pointer that is to LDS, scratch or global memory by lane: flat instructions.
KERNEL void FlatPointers(const u32* in, u32* out, int n) {
  SHARED u32 shared[256];
  u32 own[4] = {in[Item()], in[Item() + 1], 5, 6};
  shared[Item()] = in[256 * Group() + Item()] + 1;
  Barrier();
  const u32* pointer = Item() % 3 == 0   ? &shared[255 - Item()]
                       : Item() % 3 == 1 ? &own[in[Item()] % 4]
                                         : &in[Item()];
  u32* target = Item() % 2 == 0 ? &shared[Item()] : &own[in[Item()] % 3];
  const u32 value = *pointer;
  Barrier();
  *target += value;
  Barrier();
  out[256 * Group() + Item()] = value + shared[Item() ^ 1] + own[0] + own[1] + (n < 0);
}

// A load from LDS or memory with a store to LDS after it, which need not be done when the loaded
// value is used.
KERNEL void FlatBeforeLds(const u32* in, u32* out, int n) {
  SHARED u32 shared[512];
  const u32* const block = in + 256 * Group();
  shared[Item()] = block[Item()] + 1;
  Barrier();
  const u32 value = *(Item() % 2 == 0 ? &shared[255 - Item()] : &block[Item()]);
  __builtin_amdgcn_sched_barrier(0);
  shared[256 + Item()] = Item() + n;
  __builtin_amdgcn_sched_barrier(0);
  out[256 * Group() + Item()] = value;
  Barrier();
  out[256 * Group() + Item()] += shared[256 + (Item() ^ 1)];
}

/// out[linear index] = what a work-item of a 3-D grid knows of itself; blocks are (8, 4, 2).
KERNEL void GridIndices(const u32*, u32* out, int) {
  const u32 size[3] = {__builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y(),
                       __builtin_amdgcn_workgroup_size_z()};
  const u32 x = __builtin_amdgcn_workgroup_id_x() * size[0] + __builtin_amdgcn_workitem_id_x();
  const u32 y = __builtin_amdgcn_workgroup_id_y() * size[1] + __builtin_amdgcn_workitem_id_y();
  const u32 z = __builtin_amdgcn_workgroup_id_z() * size[2] + __builtin_amdgcn_workitem_id_z();
  const u32 width = __builtin_amdgcn_grid_size_x(), height = __builtin_amdgcn_grid_size_y();
  out[(z * height + y) * width + x] =
      x + 100 * y + 10000 * z + 1000000 * size[1] + 10000000 * size[2];
}

/// Reverses each block through LDS whose size the launch gives.
extern __attribute__((shared)) u32 dynamic_words[];
KERNEL void DynamicLds(const u32* in, u32* out, int) {
  SHARED u32 offset;
  if (Item() == 0) offset = 255;
  dynamic_words[Item()] = in[256 * Group() + Item()];
  Barrier();
  out[256 * Group() + Item()] = dynamic_words[offset - Item()];
}

/// Workgroups in a row: each waits for the flag of the one before, adds a word to its sum, and sets
/// its own flag. out: n sums, then n flags, which are 0.
KERNEL void PassAlong(const u32* in, u32* out, int n) {
  const int i = Group();
  if (Item() != 0) return;
  u32* flags = out + n;
  while (i > 0 &&
         __hip_atomic_load(&flags[i - 1], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0) {
  }
  out[i] = in[i] + (i > 0 ? out[i - 1] : 0);
  __hip_atomic_store(&flags[i], 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

/// A constant table, a table that the host writes, and a counter that every launch advances.
__attribute__((constant))
const u32 kPrimes[16] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
__attribute__((device)) u32 host_table[4];
__attribute__((device)) u32 counter;
KERNEL void Globals(const u32* in, u32* out, int) {
  const int i = 256 * Group() + Item();
  out[i] = kPrimes[in[i] % 16] * host_table[in[i] / 16 % 4];
  if (i == 0) counter += 1;
}

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
