// SPDX-License-Identifier: MIT
// A kernel that sees how many work-items its workgroup has, for partial_workgroups_test.cc.

#define KERNEL extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, 1024)))
#define SHARED static __attribute__((shared))

static __attribute__((device)) void Barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// out[y][x] of a grid that is `width` work-items wide: those of the workgroup, and, 16 bits higher,
// the remainder along x.
KERNEL void CountItems(unsigned* out, unsigned width) {
  SHARED unsigned items;
  const unsigned x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y();
  // LLVM AMDGPUUsage, "Code Object V5 Metadata": sizes from byte 12 on, remainders from byte 18 on.
  const auto* hidden =
      (const __attribute__((address_space(4))) unsigned short*)__builtin_amdgcn_implicitarg_ptr();
  if (x == 0 && y == 0) items = 0;
  Barrier();
  __hip_atomic_fetch_add(&items, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  Barrier();
  const unsigned column = __builtin_amdgcn_workgroup_id_x() * hidden[6] + x;
  const unsigned row = __builtin_amdgcn_workgroup_id_y() * hidden[7] + y;
  out[row * width + column] = items | hidden[9] << 16;
}
