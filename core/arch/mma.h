#pragma once

#include "core/arch/gpu.h"
#include "core/arch/mma_shape.h"

namespace gridwise {

/// Accumulators of one matrix instruction: a lane's elements of D, by OwnerOfAcc.
template <MmaShape kMma, DataType kType>
using Acc = Vec<Element<SumType(kType)>, kMma.acc_per_lane()>;

/// What a lane passes of A or B: k_per_lane() consecutive k of each of its rows (RowOfA) or columns
/// (ColOfB).
template <MmaShape kMma, DataType kType>
using MmaOperandA = Vec<Element<kType>, kMma.a_rows_of_lane() * kMma.k_per_lane()>;
template <MmaShape kMma, DataType kType>
using MmaOperandB = Vec<Element<kType>, kMma.b_cols_of_lane() * kMma.k_per_lane()>;

/// acc += a * b by vector FMAs, each lane on its own.
///
/// RDNA issues two of them at once when their operands lie in different register banks and their
/// results in an even and an odd register (RDNA3 ISA, section 7.6). Neighbouring accumulators take
/// neighbouring k, whose registers do.
template <MmaShape kMma>
GRIDWISE_DEVICE Acc<kMma, DataType::kF32> VectorFmas(MmaOperandA<kMma, DataType::kF32> a,
                                                     MmaOperandB<kMma, DataType::kF32> b,
                                                     Acc<kMma, DataType::kF32> acc) {
  constexpr int kRows = kMma.a_rows_of_lane(), kTerms = kMma.k_per_lane();
  static_assert(kRows % 2 == 0 && kTerms % 2 == 0);
  for (int term = 0; term < kTerms; ++term) {
    for (int reg = 0; reg < kMma.acc_per_lane(); ++reg) {
      const int k = term ^ (reg % 2);
      acc[reg] = __builtin_fmaf(a[reg % kRows * kTerms + k], b[reg / kRows * kTerms + k], acc[reg]);
    }
  }
  return acc;
}

/// 8-bit elements as matrix instructions take them: packed in integers.
template <class Packed, class Operand>
GRIDWISE_DEVICE Packed Pack(Operand operand) {
  return __builtin_bit_cast(Packed, operand);
}
using PackedI32x2 = Vec<int, 2>;
using PackedI32x4 = Vec<int, 4>;
using PackedI32x8 = Vec<int, 8>;

/// Mma by the target's matrix unit.
template <MmaShape kMma, DataType kType>
GRIDWISE_DEVICE Acc<kMma, kType> MatrixInstruction(MmaOperandA<kMma, kType> a,
                                                   MmaOperandB<kMma, kType> b,
                                                   Acc<kMma, kType> acc) {
#if defined(__gfx942__) || defined(__gfx950__)
  static_assert(kMma.unit == MmaUnit::kMfma, "the target's matrix unit is MFMA");
  if constexpr (kType == DataType::kF32) {
    if constexpr (kMma.m == 32)
      return __builtin_amdgcn_mfma_f32_32x32x2f32(a[0], b[0], acc, 0, 0, 0);
    if constexpr (kMma.m == 16)
      return __builtin_amdgcn_mfma_f32_16x16x4f32(a[0], b[0], acc, 0, 0, 0);
#if defined(__gfx950__)
  } else if constexpr (kType == DataType::kI8) {
    const auto x = Pack<PackedI32x4>(a), y = Pack<PackedI32x4>(b);
    if constexpr (kMma.m == 32) return __builtin_amdgcn_mfma_i32_32x32x32_i8(x, y, acc, 0, 0, 0);
    if constexpr (kMma.m == 16) return __builtin_amdgcn_mfma_i32_16x16x64_i8(x, y, acc, 0, 0, 0);
  } else if constexpr (kType == DataType::kF8E4M3) {
    constexpr int kFormat = 0;  // of A and B: e4m3; no scales
    const auto x = Pack<PackedI32x8>(a), y = Pack<PackedI32x8>(b);
    if constexpr (kMma.m == 32)
      return __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(x, y, acc, kFormat, kFormat, 0, 0, 0,
                                                             0);
    if constexpr (kMma.m == 16)
      return __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(x, y, acc, kFormat, kFormat, 0, 0, 0,
                                                              0);
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
#else
  } else if constexpr (kType == DataType::kI8) {
    const auto x = Pack<long>(a), y = Pack<long>(b);
    if constexpr (kMma.m == 32) return __builtin_amdgcn_mfma_i32_32x32x16_i8(x, y, acc, 0, 0, 0);
    if constexpr (kMma.m == 16) return __builtin_amdgcn_mfma_i32_16x16x32_i8(x, y, acc, 0, 0, 0);
  } else if constexpr (kType == DataType::kF8E4M3Fnuz) {
    const auto x = Pack<long>(a), y = Pack<long>(b);
    if constexpr (kMma.m == 32)
      return __builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8(x, y, acc, 0, 0, 0);
    if constexpr (kMma.m == 16)
      return __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8(x, y, acc, 0, 0, 0);
#endif
  } else if constexpr (kType == DataType::kF16) {
    if constexpr (kMma.m == 32) return __builtin_amdgcn_mfma_f32_32x32x8f16(a, b, acc, 0, 0, 0);
    if constexpr (kMma.m == 16) return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, acc, 0, 0, 0);
    if constexpr (kMma.m == 4) return __builtin_amdgcn_mfma_f32_4x4x4f16(a, b, acc, 0, 0, 0);
  } else {
    using Bits = Vec<short, 4>;
    const Bits x = __builtin_bit_cast(Bits, a), y = __builtin_bit_cast(Bits, b);
    if constexpr (kMma.m == 32) return __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(x, y, acc, 0, 0, 0);
    if constexpr (kMma.m == 16)
      return __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(x, y, acc, 0, 0, 0);
    if constexpr (kMma.m == 4) return __builtin_amdgcn_mfma_f32_4x4x4bf16_1k(x, y, acc, 0, 0, 0);
  }
#elif defined(__gfx1100__)
  static_assert(kMma.unit == MmaUnit::kWmma11, "the target's matrix unit is RDNA3's WMMA");
  if constexpr (kType == DataType::kF16) {
    return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, acc);
  } else if constexpr (kType == DataType::kI8) {  // both operands are signed; sums wrap
    return __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(true, Pack<PackedI32x4>(a), true,
                                                      Pack<PackedI32x4>(b), acc, false);
  } else {
    using Bits = Vec<short, 16>;
    return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(__builtin_bit_cast(Bits, a),
                                                       __builtin_bit_cast(Bits, b), acc);
  }
#elif defined(__gfx1201__)
  static_assert(kMma.unit == MmaUnit::kWmma12, "the target's matrix unit is RDNA4's WMMA");
  if constexpr (kType == DataType::kF16) {
    return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, acc);
  } else if constexpr (kType == DataType::kI8) {  // both operands are signed; sums wrap
    return __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32_gfx12(true, Pack<PackedI32x2>(a), true,
                                                            Pack<PackedI32x2>(b), acc, false);
  } else if constexpr (kType == DataType::kF8E4M3) {
    return __builtin_amdgcn_wmma_f32_16x16x16_fp8_fp8_w32_gfx12(Pack<PackedI32x2>(a),
                                                                Pack<PackedI32x2>(b), acc);
  } else {
    using Bits = Vec<short, 8>;
    return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(__builtin_bit_cast(Bits, a),
                                                             __builtin_bit_cast(Bits, b), acc);
  }
#endif
}

/// acc += a * b. All lanes take part in matrix instructions, whatever EXEC says.
template <MmaShape kMma, DataType kType>
GRIDWISE_DEVICE Acc<kMma, kType> Mma(MmaOperandA<kMma, kType> a, MmaOperandB<kMma, kType> b,
                                     Acc<kMma, kType> acc) {
  if constexpr (kMma.unit == MmaUnit::kFma) {
    return VectorFmas<kMma>(a, b, acc);
  } else {
    return MatrixInstruction<kMma, kType>(a, b, acc);
  }
}

}  // namespace gridwise
