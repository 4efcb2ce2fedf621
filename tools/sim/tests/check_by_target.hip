// SPDX-License-Identifier: MIT
// What targets want differently, for check_by_target_test.cc. All take (in, out, n).

#define KERNEL extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, 1024)))

using u32 = unsigned;

#if defined(__gfx1201__)
#define WAIT "s_wait_loadcnt 0\n\ts_wait_storecnt 0"
#else
#define WAIT "s_waitcnt vmcnt(0)"
#endif

/// Stores of one half of a register while a load into its high half is under way.
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

/// Two halves are being loaded; the one that is stored was loaded first.
KERNEL void StoreOlderHalf(const u32* in, u32* out, int) {
  const int item = __builtin_amdgcn_workitem_id_x();
  asm volatile(
      "v_mov_b32 v40, 7\n\tglobal_load_short_d16 v40, %0, off\n\t"
      "global_load_short_d16_hi v40, %0, off\n\tglobal_store_short %1, v40, off\n\t" WAIT
      :
      : "v"(in + item), "v"(out + item)
      : "v40", "memory");
}

/// Two loads into one register, which gfx12 may write in either order.
KERNEL void LoadsIntoOneRegister(const u32* in, u32* out, int) {
  const int item = __builtin_amdgcn_workitem_id_x();
  u32 value;
  asm volatile("global_load_dword v40, %1, off\n\tglobal_load_dword v40, %2, off\n\t" WAIT
               "\n\tv_mov_b32 %0, v40"
               : "=v"(value)
               : "v"(in + item), "v"(out + item)
               : "v40", "memory");
  out[item] = value;
}

// A matrix instruction or two, what is between them or after, and the use of the second one's
// result.
#if defined(__gfx90a__)
#define FIRST "v_mfma_f32_16x16x16f16 v[40:43], v[44:45], v[46:47], v[40:43]\n\t"
#elif defined(__GFX9__)
#define FIRST "v_mfma_f32_16x16x16_f16 v[40:43], v[44:45], v[46:47], v[40:43]\n\t"
#else
#if defined(__gfx1201__)
#define FIRST "v_wmma_f32_16x16x16_f16 v[40:47], v[56:59], v[60:63], v[40:47]\n\t"
#else
#define FIRST "v_wmma_f32_16x16x16_f16 v[40:47], v[56:63], v[56:63], v[40:47]\n\t"
#endif
#endif
#define MATRIX_KERNEL(NAME, TEXT)                                                                \
  KERNEL void NAME(const u32*, u32* out, int) {                                                  \
    u32 value;                                                                                   \
    asm volatile(                                                                                \
        "v_mov_b32 v40, 0\n\tv_mov_b32 v41, 0\n\tv_mov_b32 v42, 0\n\tv_mov_b32 v43, 0\n\t"       \
        "v_mov_b32 v44, 0\n\tv_mov_b32 v45, 0\n\tv_mov_b32 v46, 0\n\tv_mov_b32 v47, 0\n\t"       \
        "v_mov_b32 v48, 0\n\tv_mov_b32 v49, 0\n\tv_mov_b32 v50, 0\n\tv_mov_b32 v51, 0\n\t"       \
        "v_mov_b32 v52, 0\n\tv_mov_b32 v53, 0\n\tv_mov_b32 v54, 0\n\tv_mov_b32 v55, 0\n\t"       \
        "v_mov_b32 v56, 0\n\tv_mov_b32 v57, 0\n\tv_mov_b32 v58, 0\n\tv_mov_b32 v59, 0\n\t"       \
        "v_mov_b32 v60, 0\n\tv_mov_b32 v61, 0\n\tv_mov_b32 v62, 0\n\tv_mov_b32 v63, 0\n\ts_nop " \
        "4\n\t" FIRST TEXT                                                                       \
        : "=v"(value)                                                                            \
        :                                                                                        \
        : "v40", "v41", "v42", "v43", "v44", "v45", "v46", "v47", "v48", "v49", "v50", "v51",    \
          "v52", "v53", "v54", "v55", "v56", "v57", "v58", "v59", "v60", "v61", "v62", "v63",    \
          "s40", "s41", "vcc");                                                                  \
    out[__builtin_amdgcn_workitem_id_x()] = value;                                               \
  }

#if defined(__GFX9__)
MATRIX_KERNEL(ResultAfterTen, "s_nop 7\n\ts_nop 1\n\tv_mov_b32 %0, v40")
MATRIX_KERNEL(ResultAfterEleven, "s_nop 7\n\ts_nop 2\n\tv_mov_b32 %0, v40")
MATRIX_KERNEL(ResultAfterSeven, "s_nop 6\n\tv_mov_b32 %0, v40")
MATRIX_KERNEL(ResultAfterEight, "s_nop 7\n\tv_mov_b32 %0, v40")
// The result is overwritten too early on a path that a branch may take.
#define OVERWRITTEN(BRANCH) BRANCH "v_mov_b32 v40, 0\n1:\n\ts_nop 7\n\ts_nop 7\n\tv_mov_b32 %0, v40"
MATRIX_KERNEL(OverwrittenByLanes, OVERWRITTEN("s_cbranch_scc1 1f\n\t"))
MATRIX_KERNEL(OverwrittenByNoLane, OVERWRITTEN("s_cbranch_execnz 1f\n\t"))
MATRIX_KERNEL(OverwrittenByAllLanes, OVERWRITTEN("s_cbranch_execnz 1f\n\ts_mov_b64 exec, -1\n\t"))
// The same, where the branch asks for a flag: one that is 0, one that is not known, no flag but
// EXEC alone, and one of which half is replaced.
#define IF_FLAG "s_and_b64 vcc, exec, s[40:41]\n\ts_cbranch_vccz 1f\n\t"
MATRIX_KERNEL(OverwrittenNever, OVERWRITTEN("s_mov_b64 s[40:41], 0\n\t" IF_FLAG))
MATRIX_KERNEL(OverwrittenPerhaps, OVERWRITTEN("s_mov_b32 s40, 0\n\t" IF_FLAG))
MATRIX_KERNEL(OverwrittenIfLanes, OVERWRITTEN("s_and_b64 vcc, exec, -1\n\ts_cbranch_vccz 1f\n\t"))
MATRIX_KERNEL(OverwrittenIfHalf,
              OVERWRITTEN("s_mov_b64 s[40:41], 0\n\ts_and_b64 vcc, exec, s[40:41]\n\t"
                          "s_mov_b32 vcc_hi, 1\n\ts_cbranch_vccz 1f\n\t"))
#if !defined(__gfx90a__)
#define SPARSE \
  "v_smfmac_f32_16x16x32_f16 v[48:51], v[44:45], v[52:55], v40\n\ts_nop 7\n\tv_mov_b32 %0, v48"
MATRIX_KERNEL(IndicesAfterSix, "s_nop 5\n\t" SPARSE)
MATRIX_KERNEL(IndicesAfterEight, "s_nop 7\n\t" SPARSE)
#endif
#else
#if defined(__gfx1201__)
#define SECOND(A, C) "v_wmma_f32_16x16x16_f16 v[48:55], " A ", v[60:63], " C "\n\tv_mov_b32 %0, v48"
#define HEAD "v[40:43]"
#define OTHER "v[56:59]"
#else
#define SECOND(A, C) "v_wmma_f32_16x16x16_f16 v[48:55], " A ", v[56:63], " C "\n\tv_mov_b32 %0, v48"
#define HEAD "v[40:47]"
#define OTHER "v[56:63]"
#endif
MATRIX_KERNEL(ResultAtOnceInA, SECOND(HEAD, "v[48:55]"))
MATRIX_KERNEL(ResultBehindNopInA, "s_nop 7\n\tv_nop\n\t" SECOND(HEAD, "v[48:55]"))
MATRIX_KERNEL(ResultAtOnceInC, SECOND(OTHER, "v[40:47]"))
#endif
#if defined(__gfx1201__)
#define SPARSE "v_swmmac_f32_16x16x32_f16 v[48:55], v[56:59], v[56:63], v40\n\tv_mov_b32 %0, v48"
MATRIX_KERNEL(ResultAtOnceInIndices, SPARSE)
MATRIX_KERNEL(ResultBehindNopInIndices, "v_nop\n\t" SPARSE)
#endif

// Two dot products, the second one reading the first one's result.
#if defined(__GFX9__)
#define DOT_KERNEL(NAME, TEXT)                                                                  \
  KERNEL void NAME(const u32*, u32* out, int) {                                                 \
    u32 value;                                                                                  \
    asm volatile("v_mov_b32 v40, 1\n\tv_mov_b32 v41, 1\n\tv_mov_b32 v42, 1\n\ts_nop 4\n\t" TEXT \
                 "\n\ts_nop 4\n\tv_mov_b32 %0, v40"                                             \
                 : "=v"(value)                                                                  \
                 :                                                                              \
                 : "v40", "v41", "v42");                                                        \
    out[__builtin_amdgcn_workitem_id_x()] = value;                                              \
  }
#define TO_RESULT "v_dot4c_i32_i8 v40, v41, v42\n\t"
#define TO_OPERAND "v_dot4_i32_i8 v40, v41, v42, v40\n\t"
DOT_KERNEL(DotAddsToItsResult, TO_RESULT TO_RESULT)
DOT_KERNEL(DotAddsToOperand, TO_OPERAND TO_OPERAND)
DOT_KERNEL(DotMultipliesResult, TO_RESULT "v_dot4c_i32_i8 v41, v40, v42")
DOT_KERNEL(DotMultipliesWhatItAddsTo, TO_RESULT "v_dot4c_i32_i8 v40, v40, v42")
DOT_KERNEL(DotAddsToAnothersResult, TO_RESULT "v_dot4_i32_i8 v41, v41, v42, v40")
#endif

// A pair of instructions that the hardware does not keep apart, and the same with what it wants in
// between.
#define PAIR_KERNEL(NAME, TEXT)                                                            \
  KERNEL void NAME(const u32*, u32* out, int) {                                            \
    asm volatile(                                                                          \
        "v_mov_b32 v40, 1\n\tv_mov_b32 v41, 1\n\tv_mov_b32 v42, 1\n\tv_mov_b32 v43, 1\n\t" \
        "s_mov_b32 s40, 1\n\t" TEXT                                                        \
        :                                                                                  \
        :                                                                                  \
        : "v40", "v41", "v42", "v43", "v44", "v45", "s40", "memory");                      \
    out[__builtin_amdgcn_workitem_id_x()] = 1;                                             \
  }
#if defined(__gfx1100__)
#define FIRST_OF_PAIR "v_rcp_f32 v44, v40\n\t"
#define BETWEEN_PAIR "s_waitcnt_depctr depctr_va_vdst(0)\n\t"
#define SECOND_OF_PAIR "v_add_f32 v45, v44, v41"
#elif defined(__gfx1201__)
#define FIRST_OF_PAIR "v_mov_b32 v44, s40\n\ts_mov_b32 s40, 2\n\t"
#define BETWEEN_PAIR "s_wait_alu depctr_sa_sdst(0)\n\t"
#define SECOND_OF_PAIR "v_mov_b32 v45, s40"
#elif defined(__gfx90a__)
#define FIRST_OF_PAIR "v_mov_b32 v44, v40\n\t"
#define BETWEEN_PAIR "s_nop 1\n\t"
#define SECOND_OF_PAIR "v_mov_b32_dpp v45, v44 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf"
#else
#define FIRST_OF_PAIR "v_fma_f16 v44, v40, v41, v42 op_sel:[0,0,0,1]\n\t"
#define BETWEEN_PAIR "s_nop 0\n\t"
#define SECOND_OF_PAIR "v_mov_b32 v45, v44"
#endif
PAIR_KERNEL(Pair, FIRST_OF_PAIR SECOND_OF_PAIR)
PAIR_KERNEL(PairApart, FIRST_OF_PAIR BETWEEN_PAIR SECOND_OF_PAIR)
