// SPDX-License-Identifier: MIT
// Kernels that do what they must not, for fault_test.cc, which chooses the index `at`.

#define KERNEL extern "C" __attribute__((global))
#define SHARED static __attribute__((shared))

using u8 = unsigned char;
using u32 = unsigned;

/// Lane 5 reads the byte in[at], the others their own.
KERNEL void ReadByte(const u8* in, u32* out, int at) {
  const int i = __builtin_amdgcn_workitem_id_x();
  out[i] = in[i == 5 ? at : i];
}

KERNEL void WriteWord(const u32*, u32* out, int at) {
  const int i = __builtin_amdgcn_workitem_id_x();
  out[i == 63 ? at : i] = i;
}

KERNEL void AtomicAdd(const u32*, u32* out, int at) {
  __hip_atomic_fetch_add(&out[at], 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

/// The address is uniform: a scalar load.
KERNEL void ReadUniform(const u32* in, u32* out, int at) { *out = in[at]; }

/// Workgroup 0 writes out[at] when workgroup 1 is under way, which waits for out[0].
KERNEL void WriteWhileAwaited(const u32*, u32* out, int at) {
  const auto wait_for = [&](int i) {
    while (__hip_atomic_load(&out[i], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) != 2) continue;
  };
  const int group = __builtin_amdgcn_workgroup_id_x();
  if (group == 0) wait_for(1);
  __hip_atomic_store(&out[group == 0 ? at : 1], 2u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  if (group == 1) wait_for(0);
}

KERNEL void ReadLds(const u32* in, u32* out, int at) {
  SHARED u32 words[64];
  const int i = __builtin_amdgcn_workitem_id_x();
  words[i] = in[i];
  __builtin_amdgcn_s_barrier();
  out[i] = *(volatile u32*)&words[i == 7 ? at : i];
}

KERNEL void WriteLds(const u32* in, u32* out, int at) {
  SHARED u32 words[64];
  const int i = __builtin_amdgcn_workitem_id_x();
  *(volatile u32*)&words[i == 7 ? at : i] = in[i];
  __builtin_amdgcn_s_barrier();
  out[i] = words[63 - i];
}

KERNEL void ReadForLong(const u32* in, u32* out, int turns) {
  u32 sum = 0;
  for (int i = 0; i < turns; ++i) sum += *(const volatile u32*)in;
  out[__builtin_amdgcn_workgroup_id_x()] = sum;
}

/// Two functions that call each other by a table, with 128 bytes each on the stack: what they need
/// all together the compiler cannot say.
using Step = u32 (*)(u32 depth, u32 x);
extern __attribute__((device)) const Step kSteps[2];
template <u32 kSalt>
__attribute__((device, noinline)) u32 Descend(u32 depth, u32 x) {
  volatile u32 words[32];
  for (u32 i = 0; i < 32; ++i) words[i] = x + i * kSalt;
  const u32 below = depth == 0 ? x : kSteps[(x + depth) % 2](depth - 1, words[x % 32]);
  return below + words[depth % 32];
}
__attribute__((device)) const Step kSteps[2] = {&Descend<3>, &Descend<5>};

KERNEL void DescendByTable(const u32* in, u32* out, int depth) {
  const int i = __builtin_amdgcn_workitem_id_x();
  out[i] = kSteps[in[i] % 2](static_cast<u32>(depth), in[i]);
}
