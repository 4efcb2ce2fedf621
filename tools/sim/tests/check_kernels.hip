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
  out[Item()] = words[127 - Item()];
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
