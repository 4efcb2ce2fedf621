// SPDX-License-Identifier: MIT
#pragma once

/// What the kernels of group_kernels.hip share.

#define KERNEL extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, 1024)))
#define SHARED static __attribute__((shared))

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned;
using u64 = unsigned long;
using half = _Float16;

namespace {

__attribute__((device)) inline int Item() { return __builtin_amdgcn_workitem_id_x(); }
__attribute__((device)) inline int Group() { return __builtin_amdgcn_workgroup_id_x(); }
__attribute__((device)) inline int Lane() {
  return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
}
__attribute__((device)) inline int WaveSize() { return __builtin_amdgcn_wavefrontsize(); }
__attribute__((device)) inline void Barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
__attribute__((device)) inline float SmallInteger(u32 word) {
  return static_cast<float>(static_cast<int>(word % 17) - 8);
}

}  // namespace
