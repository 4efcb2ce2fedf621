// SPDX-License-Identifier: MIT
// Kernels for timed_run_test.cc.

#define KERNEL extern "C" __attribute__((global))
#define SHARED static __attribute__((shared))

using u32 = unsigned;

/// out[i] = in[i] for workgroups of 256.
KERNEL void Copy(const u32* in, u32* out, int) {
  const u32 i = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
  out[i] = in[i];
}

/// The same, each of `xcds` XCDs a run of the workgroups' 256.
KERNEL void CopyByRuns(const u32* in, u32* out, int xcds) {
  const u32 workgroup = __builtin_amdgcn_workgroup_id_x();
  const u32 all = __builtin_amdgcn_grid_size_x() / 256, xcd = workgroup % xcds, more = all % xcds;
  const u32 slot = xcd * (all / xcds) + (xcd < more ? xcd : more) + workgroup / xcds;
  const u32 i = slot * 256 + __builtin_amdgcn_workitem_id_x();
  out[i] = in[i];
}

/// out[i] = in[i % 256].
KERNEL void Fill(const u32* in, u32* out, int) {
  const u32 lane = __builtin_amdgcn_workitem_id_x();
  out[__builtin_amdgcn_workgroup_id_x() * 256 + lane] = in[lane];
}

/// Every work-item takes a number.
KERNEL void TakeNumbers(const u32*, u32* out, int) {
  const u32 number = __hip_atomic_fetch_add(out, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  out[1 + number] = __builtin_amdgcn_workitem_id_x();
}

/// out[1 + workgroup] = how many workgroups were there before it.
KERNEL void TakeTurns(const u32*, u32* out, int) {
  if (__builtin_amdgcn_workitem_id_x() != 0) return;
  const u32 turn = __hip_atomic_fetch_add(out, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  out[1 + __builtin_amdgcn_workgroup_id_x()] = turn;
}

/// Reads the same word again and again, which is not to wait for it.
KERNEL void ReadAgain(const u32* in, u32* out, int times) {
  const u32 i = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
  u32 sum = 0;
  for (int n = 0; n < times; ++n) {
    asm volatile("" ::: "memory");
    sum += in[i];
  }
  out[i] = sum;
}

/// out[i] = 64 * in[i] in one workgroup, which reads it again and again, and else in[i].
KERNEL void OneReadsAgain(const u32* in, u32* out, int one) {
  const u32 workgroup = __builtin_amdgcn_workgroup_id_x();
  const u32 i = workgroup * 256 + __builtin_amdgcn_workitem_id_x();
  u32 sum = 0;
  for (int n = workgroup == u32(one) ? 64 : 1; n > 0; --n) {
    asm volatile("" ::: "memory");
    sum += in[i];
  }
  out[i] = sum;
}

/// A loop that begins with an instruction that does nothing.
KERNEL void LoopOfNops(const u32*, u32* out, int times) {
  for (int n = 0; n < times; ++n) asm volatile("s_nop 7");
  out[__builtin_amdgcn_workitem_id_x()] = 3;
}

/// Waits for the word to become 3.
KERNEL void WaitFor3(const u32* in, u32* out, int) {
  const u32 i = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
  while (__hip_atomic_load(in + i, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) != 3) {
  }
  out[i] = 3;
}

/// `steps` steps through LDS, with barriers.
KERNEL void Steps(const u32* in, u32* out, int steps) {
  SHARED u32 words[256];
  const u32 i = __builtin_amdgcn_workitem_id_x();
  u32 sum = in[i];
  for (int step = 0; step < steps; ++step) {
    words[i] = sum;
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    sum += words[i ^ 65];
    __builtin_amdgcn_s_barrier();
  }
  out[__builtin_amdgcn_workgroup_id_x() * 256 + i] = sum;
}

/// The same in waves of two kinds, one of which has more to do in a step: the first two of
/// workgroups of 256, or with `steps` below 0 the others.
KERNEL void UnevenSteps(const u32*, u32* out, int steps) {
  const u32 i = __builtin_amdgcn_workitem_id_x();
  const bool first = __builtin_amdgcn_readfirstlane(i) < 128;
  for (int step = steps < 0 ? -steps : steps; step > 0; --step) {
    if (first == (steps > 0)) asm volatile(".rept 60\n\tv_nop\n\t.endr");
    __builtin_amdgcn_s_barrier();
  }
  out[__builtin_amdgcn_workgroup_id_x() * 256 + i] = 3;
}

/// As many steps of nothing, and then a store of the first wave to where the last one says.
KERNEL void StoresWhereOthersSay(const u32*, u32* out, int steps) {
  SHARED u32* where;
  const u32 i = __builtin_amdgcn_workitem_id_x();
  for (int step = 0; step < steps; ++step) __builtin_amdgcn_s_barrier();
  if (i == 255) where = out + __builtin_amdgcn_workgroup_id_x();
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  if (i == 0) *where = 3;
}
