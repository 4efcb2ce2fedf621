#pragma once

#include "ck/arch/gpu.h"
#include "ck/arch/mma_shape.h"

namespace gridwise {

/// Accumulators of one matrix instruction: a lane's elements of D, by OwnerOfAcc.
template <MmaShape kMma>
using Acc = Vec<float, kMma.acc_per_lane()>;

/// What a lane passes of A or B: k_per_lane() consecutive k of row (A) or column (B) lane % m.
template <MmaShape kMma, DataType kType>
using MmaOperand = Vec<Element<kType>, kMma.k_per_lane()>;

/// acc += a * b. All lanes take part, whatever EXEC says.
template <MmaShape kMma, DataType kType>
GRIDWISE_DEVICE Acc<kMma> Mma(MmaOperand<kMma, kType> a, MmaOperand<kMma, kType> b, Acc<kMma> acc) {
#if defined(__gfx942__) || defined(__gfx950__)
  static_assert(kMma.unit == MmaUnit::kMfma, "the target's matrix unit is MFMA");
  if constexpr (kType == DataType::kF32) {
    if constexpr (kMma.m == 32)
      return __builtin_amdgcn_mfma_f32_32x32x2f32(a[0], b[0], acc, 0, 0, 0);
    if constexpr (kMma.m == 16)
      return __builtin_amdgcn_mfma_f32_16x16x4f32(a[0], b[0], acc, 0, 0, 0);
#if defined(__gfx950__)
  } else if constexpr (kMma.k == 512 / kMma.m) {
    if constexpr (kType == DataType::kF16) {
      if constexpr (kMma.m == 32) return __builtin_amdgcn_mfma_f32_32x32x16_f16(a, b, acc, 0, 0, 0);
      if constexpr (kMma.m == 16) return __builtin_amdgcn_mfma_f32_16x16x32_f16(a, b, acc, 0, 0, 0);
    } else {
      if constexpr (kMma.m == 32)
        return __builtin_amdgcn_mfma_f32_32x32x16_bf16(a, b, acc, 0, 0, 0);
      if constexpr (kMma.m == 16)
        return __builtin_amdgcn_mfma_f32_16x16x32_bf16(a, b, acc, 0, 0, 0);
    }
#endif
  } else if constexpr (kType == DataType::kF16) {
    if constexpr (kMma.m == 32) return __builtin_amdgcn_mfma_f32_32x32x8f16(a, b, acc, 0, 0, 0);
    if constexpr (kMma.m == 16) return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, acc, 0, 0, 0);
  } else {
    using Bits = Vec<short, 4>;
    const Bits x = __builtin_bit_cast(Bits, a), y = __builtin_bit_cast(Bits, b);
    if constexpr (kMma.m == 32) return __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(x, y, acc, 0, 0, 0);
    if constexpr (kMma.m == 16)
      return __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(x, y, acc, 0, 0, 0);
  }
#elif defined(__gfx1100__)
  static_assert(kMma.unit == MmaUnit::kWmma11, "the target's matrix unit is RDNA3's WMMA");
  if constexpr (kType == DataType::kF16) {
    return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, acc);
  } else {
    using Bits = Vec<short, 16>;
    return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(__builtin_bit_cast(Bits, a),
                                                       __builtin_bit_cast(Bits, b), acc);
  }
#elif defined(__gfx1201__)
  static_assert(kMma.unit == MmaUnit::kWmma12, "the target's matrix unit is RDNA4's WMMA");
  if constexpr (kType == DataType::kF16) {
    return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, acc);
  } else {
    using Bits = Vec<short, 8>;
    return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(__builtin_bit_cast(Bits, a),
                                                             __builtin_bit_cast(Bits, b), acc);
  }
#endif
}

}  // namespace gridwise
