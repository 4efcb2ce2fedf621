// SPDX-License-Identifier: MIT
#pragma once

#include "tools/sim/tests/group_kernels.h"

/// Ways to address memory.

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
