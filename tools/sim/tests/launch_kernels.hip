// SPDX-License-Identifier: MIT
// Kernels for the tests of HIP 7's entry points.

#define KERNEL extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, 1024)))

// counters[0] counts the workgroups of one work-item that have begun, counters[1] those that saw
// all others begin before they ended, which takes all of them to be under way at once.
KERNEL void Meet(unsigned* counters, unsigned workgroups, unsigned patience) {
  __scoped_atomic_fetch_add(&counters[0], 1u, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  for (unsigned i = 0; i < patience; ++i) {
    if (__scoped_atomic_load_n(&counters[0], __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE) ==
        workgroups) {
      __scoped_atomic_fetch_add(&counters[1], 1u, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
      return;
    }
  }
}

KERNEL void Store(unsigned* to, unsigned value) { *to = value; }
