// SPDX-License-Identifier: MIT
// Kernels with one mistake each, and twins without it, for check_test.cc. A line with a mistake
// ends in "// BUG Kernel". All take (in, out, n).

#define KERNEL extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, 1024)))
#define DEVICE __attribute__((device)) inline
#define SHARED static __attribute__((shared))

using u8 = unsigned char;
using u32 = unsigned;
using Half4 = _Float16 __attribute__((ext_vector_type(4)));
using Float4 = float __attribute__((ext_vector_type(4)));

namespace {

DEVICE int Item() { return __builtin_amdgcn_workitem_id_x(); }
DEVICE int Group() { return __builtin_amdgcn_workgroup_id_x(); }
DEVICE void Barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

}  // namespace

KERNEL void LoadWithoutWait(const u32* in, u32* out, int) {
  u32 value;
  asm volatile("global_load_dword v40, %1, off\n\tv_add_u32 %0, 1, v40"  // BUG LoadWithoutWait
               : "=v"(value)
               : "v"(in + Item())
               : "v40");
  out[Item()] = value;
}

KERNEL void LoadWithWait(const u32* in, u32* out, int) {
  u32 value;
  asm volatile("global_load_dword v40, %1, off\n\ts_waitcnt vmcnt(0)\n\tv_add_u32 %0, 1, v40"
               : "=v"(value)
               : "v"(in + Item())
               : "v40");
  out[Item()] = value;
}

/// Two loads; the first is used after a wait that leaves both outstanding.
KERNEL void LoadWithWeakWait(const u32* in, u32* out, int) {
  u32 value;
  asm volatile(  // BUG LoadWithWeakWait
      "global_load_dword v40, %1, off\n\tglobal_load_dword v41, %1, off\n\t"
      "s_waitcnt vmcnt(2)\n\tv_add_u32 %0, 1, v40\n\ts_waitcnt vmcnt(0)"
      : "=v"(value)
      : "v"(in + Item())
      : "v40", "v41");
  out[Item()] = value;
}

KERNEL void LoadWithExactWait(const u32* in, u32* out, int) {
  u32 value;
  asm volatile(
      "global_load_dword v40, %1, off\n\tglobal_load_dword v41, %1, off\n\t"
      "s_waitcnt vmcnt(1)\n\tv_add_u32 %0, 1, v40\n\ts_waitcnt vmcnt(0)"
      : "=v"(value)
      : "v"(in + Item())
      : "v40", "v41");
  out[Item()] = value;
}

/// Both halves of a register: the second load comes back after the first.
KERNEL void LoadHalves(const u32* in, u32* out, int) {
  u32 value;
  asm volatile(
      "v_mov_b32 v40, 0\n\tglobal_load_short_d16 v40, %1, off\n\t"
      "global_load_short_d16_hi v40, %1, off offset:2\n\ts_waitcnt vmcnt(0)\n\tv_mov_b32 %0, v40"
      : "=v"(value)
      : "v"(in + Item())
      : "v40");
  out[Item()] = value;
}

/// Overwrites what a load has yet to write.
KERNEL void OverwriteWithoutWait(const u32* in, u32* out, int) {
  u32 value;
  asm volatile(  // BUG OverwriteWithoutWait
      "global_load_dword v40, %1, off\n\tv_mov_b32 v40, 7\n\t"
      "s_waitcnt vmcnt(0)\n\tv_mov_b32 %0, v40"
      : "=v"(value)
      : "v"(in + Item())
      : "v40");
  out[Item()] = value;
}

/// lgkmcnt(1) proves nothing of scalar loads.
KERNEL void ScalarWithWeakWait(const u32* in, u32* out, int) {
  u32 value;
  asm volatile(  // BUG ScalarWithWeakWait
      "s_load_dword s40, %1, 0x0\n\ts_load_dword s41, %1, 0x4\n\ts_waitcnt lgkmcnt(1)\n\t"
      "v_mov_b32 %0, s40\n\ts_waitcnt lgkmcnt(0)"
      : "=v"(value)
      : "s"(in)
      : "s40", "s41");
  out[Item()] = value;
}

KERNEL void ScalarWithWait(const u32* in, u32* out, int) {
  u32 value;
  asm volatile(
      "s_load_dword s40, %1, 0x0\n\ts_load_dword s41, %1, 0x4\n\ts_waitcnt lgkmcnt(0)\n\t"
      "v_mov_b32 %0, s40"
      : "=v"(value)
      : "s"(in)
      : "s40", "s41");
  out[Item()] = value;
}

/// Every s_waitcnt of LDS results but the last leaves one outstanding: they come back in order.
KERNEL void LdsInOrder(const u32* in, u32* out, int) {
  SHARED u32 words[64];
  words[Item()] = in[Item()];
  Barrier();
  u32 value;
  asm volatile(
      "ds_read_b32 v40, %1\n\tds_read_b32 v41, %1\n\ts_waitcnt lgkmcnt(1)\n\tv_mov_b32 v42, v40\n\t"
      "s_waitcnt lgkmcnt(0)\n\tv_add_u32 %0, v42, v41"
      : "=v"(value)
      : "v"(4 * Item()), "r"(words)
      : "v40", "v41", "v42", "memory");
  out[Item()] = value;
}

KERNEL void MatrixWithoutNops(const u32* in, u32* out, int) {
  Half4 a;
  __builtin_memcpy(&a, in + 2 * Item(), 8);
  float sum;
  asm volatile(  // BUG MatrixWithoutNops
      "s_nop 4\n\tv_mfma_f32_16x16x16_f16 v[40:43], %1, %1, 0\n\ts_nop 5\n\t"
      "v_mov_b32 %0, v40"
      : "=v"(sum)
      : "v"(a)
      : "v40", "v41", "v42", "v43");
  out[Item()] = static_cast<u32>(sum);
}

#define STORE_AND_OVERWRITE_DATA(WAIT)                                                             \
  asm volatile(                                                                                    \
      "v_mov_b32 v40, 1\n\tv_mov_b32 v41, 2\n\tv_mov_b32 v42, 3\n\tv_mov_b32 v43, 4\n\t"           \
      "global_store_dwordx4 %0, v[40:43], off\n\t" WAIT "v_mov_b32 v41, 0" ::"v"(out + 4 * Item()) \
      : "v40", "v41", "v42", "v43", "memory")

/// The store may not have read its data yet.
KERNEL void StoreDataOverwritten(const u32*, u32* out, int) {
  STORE_AND_OVERWRITE_DATA("");  // BUG StoreDataOverwritten
}
KERNEL void StoreDataOverwrittenAfterWait(const u32*, u32* out, int) {
  STORE_AND_OVERWRITE_DATA("s_waitcnt vmcnt(0)\n\t");
}

/// A comparison's lanes as a mask, which needs no wait states, and as a number, which needs two.
#define COMPARE_AND_USE(NUMBER)                                                \
  u32 value;                                                                   \
  asm volatile(                                                                \
      "v_cmp_lt_u32 s[60:61], 5, %1\n\tv_cndmask_b32 v40, 0, %1, s[60:61]\n\t" \
      "v_cmp_gt_u32 vcc, 9, %1\n\tv_addc_co_u32 v40, vcc, v40, %1, vcc\n\t"    \
      "v_cmp_gt_u32 s[60:61], 7, %1\n\t" NUMBER                                \
      : "=v"(value)                                                            \
      : "v"(Item())                                                            \
      : "v40", "s60", "s61", "vcc");                                           \
  out[Item()] = value

KERNEL void CompareAndAddTooEarly(const u32*, u32* out, int) {
  COMPARE_AND_USE("s_nop 0\n\tv_add_u32 %0, s60, v40");  // BUG CompareAndAddTooEarly
}
KERNEL void CompareAndAdd(const u32*, u32* out, int) {
  COMPARE_AND_USE("s_nop 1\n\tv_add_u32 %0, s60, v40");
}

KERNEL void MatrixWithNops(const u32* in, u32* out, int) {
  Half4 a;
  __builtin_memcpy(&a, in + 2 * Item(), 8);
  float sum;
  asm volatile(
      "s_nop 4\n\tv_mfma_f32_16x16x16_f16 v[40:43], %1, %1, 0\n\ts_nop 6\n\tv_mov_b32 %0, v40"
      : "=v"(sum)
      : "v"(a)
      : "v40", "v41", "v42", "v43");
  out[Item()] = static_cast<u32>(sum);
}

/// Reads what the other wave wrote, with and without a barrier.
KERNEL void LdsWithoutBarrier(const u32* in, u32* out, int) {
  SHARED u32 words[128];
  volatile u32* shared = words;
  shared[Item()] = in[Item()];
  out[Item()] = shared[127 - Item()];  // BUG LdsWithoutBarrier
}

KERNEL void LdsWithBarrier(const u32* in, u32* out, int) {
  SHARED u32 words[128];
  words[Item()] = in[Item()];
  Barrier();
  out[Item()] = words[127 - Item()];  // BUG LdsWithBarrier
}

/// The barrier is there, but the write may still be on its way.
KERNEL void LdsBarrierWithoutWait(const u32*, u32* out, int) {
  SHARED u32 words[128];
  u32 value;
  asm volatile(  // BUG LdsBarrierWithoutWait
      "ds_write_b32 %1, %1\n\ts_barrier\n\tds_read_b32 %0, %2\n\t"
      "s_waitcnt lgkmcnt(0)"
      : "=&v"(value)
      : "v"(4 * Item()), "v"(508 - 4 * Item()), "r"(words)
      : "memory");
  out[Item()] = value;
}

KERNEL void LdsAtomics(const u32* in, u32* out, int) {
  SHARED u32 sum;
  if (Item() == 0) sum = 0;
  Barrier();
  __hip_atomic_fetch_add(&sum, in[Item()], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  Barrier();
  out[Item()] = sum;
}

/// Workgroups store to the same word.
KERNEL void GroupsStoreTheSame(const u32* in, u32* out, int) {
  if (Item() == 0) out[0] = in[Group()];  // BUG GroupsStoreTheSame
}

KERNEL void GroupsAddToTheSame(const u32* in, u32* out, int) {
  __hip_atomic_fetch_add(out, in[Group()], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

/// The last workgroup adds up what the others stored: out[1 + group], the count is out[0].
KERNEL void LastBlock(const u32* in, u32* out, int groups) {
  SHARED bool last;
  if (Item() == 0) {
    out[1 + Group()] = in[Group()];
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
    const u32 before = __hip_atomic_fetch_add(out, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    last = before == static_cast<u32>(groups) - 1;
  }
  Barrier();
  if (!last) return;
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
  if (Item() != 0) return;
  u32 sum = 0;
  for (int i = 0; i < groups; ++i) sum += out[1 + i];
  out[1 + groups] = sum;
}

/// The same where work-item 64 stores, without a barrier before work-item 0 counts.
KERNEL void LastBlockWithoutBarrier(const u32* in, u32* out, int groups) {
  SHARED bool last;
  if (Item() == 64) out[1 + Group()] = in[Group()];
  if (Item() == 0) {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
    const u32 before = __hip_atomic_fetch_add(out, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    last = before == static_cast<u32>(groups) - 1;
  }
  Barrier();
  if (!last) return;
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
  if (Item() != 0) return;
  u32 sum = 0;
  for (int i = 0; i < groups; ++i) sum += out[1 + i];  // BUG LastBlockWithoutBarrier
  out[1 + groups] = sum;
}

/// A lock around an ordinary increment.
KERNEL void SpinLock(const u32*, u32* out, int) {
  if (Item() != 0) return;
  while (__hip_atomic_exchange(out, 1u, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) != 0) {
  }
  out[1] = out[1] + 1;
  __hip_atomic_store(out, 0u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

/// Half of the wave waits.
KERNEL void DivergentBarrier(const u32* in, u32* out, int) {
  if (Item() % 2 == 0) {
    __builtin_amdgcn_s_barrier();  // BUG DivergentBarrier
    out[Item()] = in[Item()];
  }
}

/// Only the first wave waits.
KERNEL void BarrierOfOneWave(const u32* in, u32* out, int) {
  if (__builtin_amdgcn_readfirstlane(Item()) == 0) __builtin_amdgcn_s_barrier();
  out[Item()] = in[Item()];
}

/// One byte past the end, if n is the number of bytes.
KERNEL void WriteByte(const u32*, u8* out, int n) {
  if (Item() == 3) out[n] = 1;  // BUG WriteByte
}

/// Each of n words once; word n / 2 twice; word n - 1 never.
KERNEL void WriteOnce(const u32* in, u32* out, int n) {
  const int i = 64 * Group() + Item();
  if (i < n) out[i] = in[0];
}
KERNEL void WriteWrongly(const u32* in, u32* out, int n) {
  const int i = 64 * Group() + Item();
  if (i < n - 1) out[i] = in[0];
  if (i == n / 2) *static_cast<volatile u32*>(out + i) = in[1];
}

/// Adds 1 to out[0] by a load and a store: the waves' order decides what is lost.
KERNEL void LostUpdates(const u32*, u32* out, int n) {
  for (int i = 0; i < n; ++i) {
    if (Item() % 64 == 0) *static_cast<volatile u32*>(out) = *static_cast<volatile u32*>(out) + 1;
  }
}

/// Mistakes with undefined values, and what is none. UninitAddress reads LDS at an offset of which
/// bits are undefined; the twin masks them off.
KERNEL void UninitAddress(const u32* in, u32* out, int) {
  SHARED u32 words[64];
  words[Item()] = in[Item()];
  Barrier();
  u32 value;
  asm volatile(  // BUG UninitAddress
      "v_and_b32 v60, 0x7c, v60\n\tds_read_b32 %0, v60\n\ts_waitcnt lgkmcnt(0)"
      : "=v"(value)
      : "r"(words)
      : "v60", "memory");
  out[Item()] = value & 0;
}
KERNEL void MaskedAddress(const u32* in, u32* out, int) {
  SHARED u32 words[64];
  words[Item()] = in[Item()];
  Barrier();
  u32 value;
  asm volatile(
      "v_lshlrev_b32 v60, 16, v60\n\tv_and_b32 v60, 0xffff, v60\n\tv_lshl_or_b32 v60, %1, 2, "
      "v60\n\t"
      "ds_read_b32 %0, v60\n\ts_waitcnt lgkmcnt(0)"
      : "=v"(value)
      : "v"(Item()), "r"(words)
      : "v60", "memory");
  out[Item()] = value;
}

KERNEL void UninitScalarBranch(const u32*, u32* out, int) {
  u32 value;
  asm volatile(  // BUG UninitScalarBranch
      "s_mov_b32 s61, 1\n\ts_cmp_eq_u32 s60, 3\n\ts_cbranch_scc1 1f\n\ts_mov_b32 s61, 2\n1:\n\t"
      "v_mov_b32 %0, s61"
      : "=v"(value)
      :
      : "s60", "s61", "scc");
  out[Item()] = value;
}

/// Moves onto themselves say that any value will do: for the branch, for lanes and for the host.
KERNEL void UninitFrozen(const u32*, u32* out, int) {
  u32 value;
  asm volatile(
      "s_mov_b32 s61, 1\n\ts_mov_b32 s60, s60\n\ts_cmp_eq_u32 s60, 3\n\ts_cbranch_scc1 1f\n\t"
      "s_mov_b32 s61, 2\n1:\n\tv_mov_b32 v60, v60\n\tv_cmp_gt_u32 vcc, 5, v60\n\t"
      "s_mov_b64 s[62:63], exec\n\ts_and_b64 exec, exec, vcc\n\ts_mov_b64 exec, s[62:63]\n\t"
      "v_mov_b32 %0, v60"
      : "=v"(value)
      :
      : "v60", "s60", "s61", "s62", "s63", "vcc", "scc");
  out[Item()] = value;
}

/// Lane 5 never writes the word by which it branches.
KERNEL void UninitLdsBranch(const u32* in, u32* out, int n) {
  SHARED u32 words[64];
  if (Item() != 5) words[Item()] = in[Item()];
  Barrier();
  if (words[Item() ^ n] > 3) out[Item()] = 7;  // BUG UninitLdsBranch
}

/// Half of LDS is written; all of it comes out.
KERNEL void UninitLdsToHost(const u32* in, u32* out, int n) {
  SHARED u32 words[64];
  if (Item() < 32 + n) words[Item()] = in[Item()];
  Barrier();
  out[Item()] = words[63 - Item()];  // BUG UninitLdsToHost
}

/// Depends on memory at `in` that the caller has or has not written.
KERNEL void UninitMemory(const u32* in, u32* out, int n) {
  out[Item()] = 3 * in[Item() + n] + 1;  // BUG UninitMemory
}

/// Counts in memory that should have been cleared.
KERNEL void UninitCounter(const u32*, u32* out, int) {
  __hip_atomic_fetch_add(out, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);  // BUG UninitCounter
}

/// A vector with elements that are never written goes through LDS, as padding does.
KERNEL void UninitPadding(const u32* in, u32* out, int) {
  using U4 = u32 __attribute__((ext_vector_type(4)));
  SHARED U4 words[64];
  u32* first = reinterpret_cast<u32*>(&words[Item()]);
  first[0] = in[Item()];
  first[1] = in[Item()] + 1;
  Barrier();
  U4 value = words[Item() ^ 1];
  asm volatile("" : "+v"(value));
  reinterpret_cast<U4*>(out)[Item()] = value;
}

/// Selects, moves lanes and halves; nothing undefined is left at the end.
KERNEL void UninitUnused(const u32*, u32* out, int) {
  u32 value;
  asm volatile(
      "v_mov_b32 v62, v60\n\t"                                                     // a copy
      "v_cmp_gt_u32 vcc, 0, %1\n\ts_nop 1\n\tv_cndmask_b32 v61, %1, v60, vcc\n\t"  // never that arm
      "s_nop 1\n\tv_mov_b32_dpp v63, v61 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf\n\t"
      "v_perm_b32 v64, v60, v63, %2\n\t"  // bytes of v63 alone
      "v_mov_b32 v65, v60\n\tv_mov_b32_sdwa v65, v64 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE "
      "src0_sel:WORD_0\n\ts_nop 1\n\tv_lshrrev_b32 v65, 16, v65\n\t"  // the high half is defined
      "v_or_b32 v62, -1, v62\n\tv_add3_u32 v65, v65, v62, 1\n\t"
      "s_mov_b64 s[60:61], exec\n\ts_and_b64 s[62:63], s[62:63], 0\n\t"
      "s_or_b64 exec, exec, s[62:63]\n\tv_mov_b32 %0, v65"
      : "=v"(value)
      : "v"(Item()), "s"(0x03020100)
      : "v60", "v61", "v62", "v63", "v64", "v65", "s60", "s61", "s62", "s63", "vcc");
  if (value == 1000) out[1] = 1;
  out[Item()] = value;
}

/// Rows 8 to 15 of the left matrix are never written; n rows of the product are stored.
KERNEL void UninitRows(const u32* in, u32* out, int n) {
  SHARED Half4 a[64];
  const int row = Item() % 16;
  Half4 b;
  __builtin_memcpy(&b, in + Item(), 8);
  if (row < 8) a[Item()] = b;
  Barrier();
  Float4 sum = {};
  sum = __builtin_amdgcn_mfma_f32_16x16x16f16(a[Item()], b, sum, 0, 0, 0);
  for (int i = 0; i < 4; ++i) {
    const int at = Item() / 16 * 4 + i;
    if (at < n) out[16 * at + row] = __builtin_bit_cast(u32, sum[i]);  // BUG UninitRows
  }
}

/// Both waves, and all workgroups, store the same.
KERNEL void SameValues(const u32* in, u32* out, int) {
  SHARED u32 words[64];
  words[Item() % 64] = in[Item() % 64];
  if (in[Item()] > 100) out[1000] = 1;
  Barrier();
  if (Group() == 0) out[Item()] = words[Item() % 64];
}

/// The second wave waits for a flag in LDS, set by the first after its data.
KERNEL void PollLds(const u32* in, u32* out, int) {
  SHARED u32 flag, data[64];
  if (Item() == 0) flag = 0;
  Barrier();
  if (Item() < 64) {
    data[Item()] = in[Item()];
    __hip_atomic_store(&flag, 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);
  } else {
    while (__hip_atomic_load(&flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP) == 0) {
    }
    out[Item()] = data[Item() - 64];
  }
}

/// The loop's first turn is ahead of it, as compilers arrange it.
KERNEL void PollLdsPeeled(const u32* in, u32* out, int) {
  SHARED u32 flag, data[64];
  if (Item() == 0) flag = 0;
  Barrier();
  if (Item() < 64) {
    data[Item()] = in[Item()];
    __hip_atomic_store(&flag, 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);
  } else {
    asm volatile(
        "ds_read_b32 v40, %0\n\ts_waitcnt lgkmcnt(0)\n\tv_cmp_eq_u32 vcc, 0, v40\n\t"
        "s_cbranch_vccz .Lseen%=\n.Lpoll%=:\n\tds_read_b32 v40, %0\n\ts_waitcnt lgkmcnt(0)\n\t"
        "v_cmp_eq_u32 vcc, 0, v40\n\ts_cbranch_vccnz .Lpoll%=\n.Lseen%=:"
        :
        : "v"((__attribute__((address_space(3))) u32*)&flag)
        : "v40", "vcc", "memory");
    out[Item()] = data[Item() - 64];
  }
}

/// The data after the flag; the second wave reads it anyway.
KERNEL void PollLdsTooEarly(const u32* in, u32* out, int) {
  SHARED u32 flag, data[64];
  if (Item() == 0) flag = 0;
  data[Item() % 64] = 0;
  Barrier();
  if (Item() < 64) {
    __hip_atomic_store(&flag, 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);
    data[Item()] = in[Item()];
  } else {
    while (__hip_atomic_load(&flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP) == 0) {
    }
    out[Item()] = data[Item() - 64];  // BUG PollLdsTooEarly
  }
}

/// An update by compare-and-swap begins with an ordinary load.
KERNEL void CompareAndSwap(const u32* in, u32* out, int) {
  u32 old = *out;
  while (!__hip_atomic_compare_exchange_strong(out, &old, old * 3 + in[Item()], __ATOMIC_RELAXED,
                                               __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) {
  }
}

/// A wave overwrites what others read in front of the barrier, without having waited for it.
#define READ_AND_OVERWRITE(OVERWRITE)                                                      \
  SHARED u32 words[128];                                                                   \
  u32 value;                                                                               \
  asm volatile(                                                                            \
      "ds_write_b32 %1, %1\n\ts_waitcnt lgkmcnt(0)\n\ts_barrier\n\tds_read_b32 %0, %2\n\t" \
      "s_barrier\n\t" OVERWRITE "\n\ts_waitcnt vmcnt(0) lgkmcnt(0)"                        \
      : "=&v"(value)                                                                       \
      : "v"(4 * Item()), "v"(508 - 4 * Item()), "r"(words),                                \
        "s"(__builtin_amdgcn_readfirstlane(4 * Item())), "v"(in + Item())                  \
      : "memory");                                                                         \
  out[Item()] = value

KERNEL void LdsWriteBehindRead(const u32* in, u32* out, int) {
  READ_AND_OVERWRITE("ds_write_b32 %1, %2");
}

#define LOAD_TO_LDS "s_mov_b32 m0, %4\n\ts_nop 0\n\tglobal_load_lds_dword %5, off"
KERNEL void LdsLoadBehindRead(const u32* in, u32* out, int) {
  READ_AND_OVERWRITE(LOAD_TO_LDS);  // BUG LdsLoadBehindRead
}

/// Two loads to LDS; what the first one brings is read without a wait.
KERNEL void LdsLoadWithoutWait(const u32* in, u32* out, int) {
  SHARED u32 words[128];
  u32 value;
  asm volatile(  // BUG LdsLoadWithoutWait
      "s_mov_b32 m0, 0\n\ts_nop 0\n\tglobal_load_lds_dword %2, off\n\t"
      "s_mov_b32 m0, 0x100\n\ts_nop 0\n\tglobal_load_lds_dword %2, off\n\tds_read_b32 %0, "
      "%1\n\ts_waitcnt vmcnt(0) lgkmcnt(0)"
      : "=&v"(value)
      : "v"(4 * Item()), "v"(in + Item()), "r"(words)
      : "memory");
  out[Item()] = value;
}

/// As a loop is that was unrolled.
KERNEL void LoadsWithoutWait(const u32* in, u32* out, int) {
  u32 value;
  asm volatile(  // BUG LoadsWithoutWait
      "global_load_dword v40, %1, off\n\tv_add_u32 %0, 1, v40\n\ts_waitcnt vmcnt(0)\n\t"
      "global_load_dword v41, %1, off\n\tv_add_u32 %0, 1, v41\n\ts_waitcnt vmcnt(0)"
      : "=v"(value)
      : "v"(in + Item())
      : "v40", "v41");
  out[Item()] = value;
}

constexpr int kAgent = __HIP_MEMORY_SCOPE_AGENT;

/// The last workgroup makes the counter ready for the next launch. Or the first one.
KERNEL void LastBlockResets(const u32*, u32* out, int last) {
  if (Item() != 0) return;
  u32 before;
  before = __hip_atomic_fetch_add(out, 1, __ATOMIC_RELAXED, kAgent);  // BUG LastBlockResets
  if (before == static_cast<u32>(last)) *out = 0;
}

template <int kAdded>
__attribute__((global)) void Mangled(const u32* in, u32* out, int) {
  u32 value;
  asm volatile("global_load_dword v40, %1, off\n\tv_add_u32 %0, %2, v40"  // BUG Mangled
               : "=v"(value)
               : "v"(in + Item()), "n"(kAdded)
               : "v40");
  out[Item()] = value;
}
template __attribute__((global)) void Mangled<3>(const u32*, u32*, int);

namespace {

/// in[Item()] times `factor`, which is not fused with what is done to it.
DEVICE float Product(const u32* in, float factor) {
  float value = static_cast<float>(in[Item()]) * factor;
  asm volatile("" : "+v"(value));
  return value;
}

}  // namespace

/// 1, 2, ... times n: 65520 and more are infinite as halves.
KERNEL void ToHalf(const u32* in, u32* out, int n) {
  const float value = Product(in, static_cast<float>(n));
  const _Float16 half = static_cast<_Float16>(value);  // BUG ToHalf
  out[Item()] = __builtin_bit_cast(unsigned short, half);
}

/// The same by the conversion that rounds to zero, which leaves the largest half.
KERNEL void ToHalfTowardsZero(const u32* in, u32* out, int n) {
  const float value = Product(in, static_cast<float>(n));
  out[Item()] =
      __builtin_bit_cast(u32, __builtin_amdgcn_cvt_pkrtz(value, 1.f));  // BUG ToHalfTowardsZero
}

/// 1, 4, 9, ... times the square of 2^n.
KERNEL void Square(const u32* in, u32* out, int n) {
  const float value = __builtin_amdgcn_ldexpf(static_cast<float>(in[Item()]), n);
  out[Item()] = __builtin_bit_cast(u32, value * value);  // BUG Square
}

/// Passes on what was not finite before.
KERNEL void PassOn(const u32* in, u32* out, int) {
  const float value = __builtin_bit_cast(float, in[Item()] | 0x7f800000u);
  out[Item()] = __builtin_bit_cast(u32, value + 1.f);
}

/// The difference of numbers that are n units in the last place apart.
KERNEL void Cancel(const u32* in, u32* out, int n) {
  const float value = Product(in, 0.1f);
  const float other =
      __builtin_bit_cast(float, __builtin_bit_cast(u32, value) + static_cast<u32>(n));
  out[Item()] = __builtin_bit_cast(u32, value - other);  // BUG Cancel
}

/// Products of bf16 numbers 2^n, by a matrix instruction.
KERNEL void MatrixSquare(const u32*, u32* out, int n) {
  using Short4 = short __attribute__((ext_vector_type(4)));
  const short bits = static_cast<short>((n + 127) << 7);
  const Short4 a = {bits, bits, bits, bits};
  Float4 sum = {};
  sum = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a, a, sum, 0, 0, 0);  // BUG MatrixSquare
  out[Item()] = __builtin_bit_cast(u32, sum[0]);
}
