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

// Of waves of all workgroups, of one wave each: counters[0] counts those that saw, after the global
// wave sync's barrier, what the next workgroup had stored before it. Targets without it count one.
KERNEL void SyncInit(unsigned* counters, unsigned workgroups) {
#if defined(__GFX9__) || defined(__GFX11__)
  __builtin_amdgcn_ds_gws_init(workgroups - 1, 5);
#endif
  counters[0] = counters[1] = 0;
}

KERNEL void SyncMeet(unsigned* counters, unsigned workgroups, unsigned* stored) {
#if defined(__GFX9__) || defined(__GFX11__)
  for (unsigned round = 1; round <= 3; ++round) {
    const unsigned self = __builtin_amdgcn_workgroup_id_x();
    __scoped_atomic_store_n(&stored[self], round, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
    __builtin_amdgcn_ds_gws_barrier(workgroups - 1, 5);
    const unsigned next = __scoped_atomic_load_n(&stored[(self + 1) % workgroups],
                                                 __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE);
    __scoped_atomic_fetch_add(&counters[next == round ? 0 : 1], 1u, __ATOMIC_RELAXED,
                              __MEMORY_SCOPE_DEVICE);
    __builtin_amdgcn_ds_gws_barrier(workgroups - 1, 5);
  }
#endif
}

// What s_get_barrier_state gives the first wave of two that has signalled, and both when they have.
KERNEL void BarrierState(unsigned* states) {
#if defined(__gfx1201__)
  const unsigned wave = __builtin_amdgcn_readfirstlane(__builtin_amdgcn_workitem_id_x() / 32);
  if (wave == 0) {
    __builtin_amdgcn_s_barrier_signal(-1);
    states[0] = __builtin_amdgcn_s_get_barrier_state(-1);
  } else {
    __builtin_amdgcn_s_sleep(1);
    __builtin_amdgcn_s_barrier_signal(-1);
  }
  __builtin_amdgcn_s_barrier_wait(-1);
  if (wave == 0) states[1] = __builtin_amdgcn_s_get_barrier_state(-1);
#endif
}

KERNEL void Store(unsigned* to, unsigned value) { *to = value; }
