// Stores of one half of a register, for check_halves_test.cc, while a load into its high half is
// under way. All take (in, out, n).

#define KERNEL extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, 1024)))

using u32 = unsigned;

#if defined(__gfx1201__)
#define WAIT "s_wait_loadcnt 0\n\ts_wait_storecnt 0"
#else
#define WAIT "s_waitcnt vmcnt(0)"
#endif

KERNEL void StoreOtherHalf(const u32* in, u32* out, int) {
  const int item = __builtin_amdgcn_workitem_id_x();
  asm volatile(
      "v_mov_b32 v40, 7\n\tglobal_load_short_d16_hi v40, %0, off\n\t"
      "global_store_short %1, v40, off\n\t" WAIT
      :
      : "v"(in + item), "v"(out + item)
      : "v40", "memory");
}

KERNEL void StoreSameHalf(const u32* in, u32* out, int) {
  const int item = __builtin_amdgcn_workitem_id_x();
  asm volatile(
      "v_mov_b32 v40, 7\n\tglobal_load_short_d16_hi v40, %0, off\n\t"
      "global_store_short_d16_hi %1, v40, off\n\t" WAIT
      :
      : "v"(in + item), "v"(out + item)
      : "v40", "memory");
}

/// The half that is stored has been waited for, the other one has not.
KERNEL void StoreFirstHalf(const u32* in, u32* out, int) {
  const int item = __builtin_amdgcn_workitem_id_x();
  asm volatile(
      "v_mov_b32 v40, 7\n\tglobal_load_short_d16 v40, %0, off\n\t" WAIT
      "\n\tglobal_load_short_d16_hi v40, %0, off\n\tglobal_store_short %1, v40, off\n\t" WAIT
      :
      : "v"(in + item), "v"(out + item)
      : "v40", "memory");
}

/// Of the two halves that are under way, the stored one is the older.
KERNEL void StoreOlderHalf(const u32* in, u32* out, int) {
  const int item = __builtin_amdgcn_workitem_id_x();
  asm volatile(
      "v_mov_b32 v40, 7\n\tglobal_load_short_d16 v40, %0, off\n\t"
      "global_load_short_d16_hi v40, %0, off\n\tglobal_store_short %1, v40, off\n\t" WAIT
      :
      : "v"(in + item), "v"(out + item)
      : "v40", "memory");
}
