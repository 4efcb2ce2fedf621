// SPDX-License-Identifier: MIT
// Instructions that few programs have.

#define KERNEL extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, 1024)))

// Workgroups have one wave each. counters[0] counts the waves that saw, after the global wave
// sync's barrier, what the next workgroup had stored before it. Targets without global wave sync
// count one.
KERNEL void SyncInit(unsigned* counters, [[maybe_unused]] unsigned workgroups) {
#if defined(__GFX9__) || defined(__GFX11__)
  __builtin_amdgcn_ds_gws_init(workgroups - 1, 5);
#endif
  counters[0] = counters[1] = 0;
}

KERNEL void SyncMeet([[maybe_unused]] unsigned* counters, [[maybe_unused]] unsigned workgroups,
                     [[maybe_unused]] unsigned* stored) {
#if defined(__GFX9__) || defined(__GFX11__)
  for (unsigned round = 1; round <= 3; ++round) {
    const unsigned self = __builtin_amdgcn_workgroup_id_x();
    __scoped_atomic_store_n(&stored[self], round, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
    __builtin_amdgcn_ds_gws_barrier(workgroups - 1, 5);
    const unsigned next = __scoped_atomic_load_n(&stored[(self + 1) % workgroups], __ATOMIC_ACQUIRE,
                                                 __MEMORY_SCOPE_DEVICE);
    __scoped_atomic_fetch_add(&counters[next == round ? 0 : 1], 1u, __ATOMIC_RELAXED,
                              __MEMORY_SCOPE_DEVICE);
    __builtin_amdgcn_ds_gws_barrier(workgroups - 1, 5);
  }
#endif
}

// What s_get_barrier_state gives the first wave of two that has signalled, and both when they have.
KERNEL void BarrierState([[maybe_unused]] unsigned* states) {
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

// What public sources leave open: denormals in sines, and low address bits of scalar loads that add
// up. Once in a wave each.
KERNEL void NotKnown(unsigned* words) {
#if defined(__GFX12__)
#define WAIT "s_wait_kmcnt 0"
#else
#define WAIT "s_waitcnt lgkmcnt(0)"
#endif
  float sine;
  unsigned loaded;
  asm volatile("v_sin_f32 %0, %1" : "=v"(sine) : "v"(0.25f));
  asm volatile("s_load_dword %0, %1, 0x1\n\t" WAIT
               : "=s"(loaded)
               : "s"(reinterpret_cast<const char*>(words) + 3));
  words[1] = static_cast<unsigned>(sine) + loaded;
}
