// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/mma/cdna.h"

/// Instructions of CDNA4 only: twice the k, and OCP 8-bit floats with four times the k. Source:
/// CDNA4 ISA, section 7.
namespace gridwise {

#define GRIDWISE_MFMA_I8(name) \
  __builtin_amdgcn_mfma_i32_##name(Pack<PackedI32x4>(a), Pack<PackedI32x4>(b), acc, 0, 0, 0)
// `format` applies to A and B: 0 is e4m3, 1 e5m2; no scales.
#define GRIDWISE_MFMA_F8(name, format)                                                            \
  __builtin_amdgcn_mfma_scale_f32_##name(Pack<PackedI32x8>(a), Pack<PackedI32x8>(b), acc, format, \
                                         format, 0, 0, 0, 0)

GRIDWISE_MMA(kMfma, 32, 32, 16, kF16, GRIDWISE_MFMA(32x32x16_f16, a, b))
GRIDWISE_MMA(kMfma, 16, 16, 32, kF16, GRIDWISE_MFMA(16x16x32_f16, a, b))
GRIDWISE_MMA(kMfma, 32, 32, 16, kBF16, GRIDWISE_MFMA(32x32x16_bf16, a, b))
GRIDWISE_MMA(kMfma, 16, 16, 32, kBF16, GRIDWISE_MFMA(16x16x32_bf16, a, b))
GRIDWISE_MMA(kMfma, 32, 32, 32, kI8, GRIDWISE_MFMA_I8(32x32x32_i8))
GRIDWISE_MMA(kMfma, 16, 16, 64, kI8, GRIDWISE_MFMA_I8(16x16x64_i8))
GRIDWISE_MMA(kMfma, 32, 32, 64, kF8E4M3, GRIDWISE_MFMA_F8(32x32x64_f8f6f4, 0))
GRIDWISE_MMA(kMfma, 16, 16, 128, kF8E4M3, GRIDWISE_MFMA_F8(16x16x128_f8f6f4, 0))
GRIDWISE_MMA(kMfma, 32, 32, 64, kF8E5M2, GRIDWISE_MFMA_F8(32x32x64_f8f6f4, 1))
GRIDWISE_MMA(kMfma, 16, 16, 128, kF8E5M2, GRIDWISE_MFMA_F8(16x16x128_f8f6f4, 1))

}  // namespace gridwise
