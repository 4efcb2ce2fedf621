// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/mma/instruction.h"

/// Matrix instructions of RDNA4, for waves of 32. i8: both operands are signed, and sums wrap.
/// Source: RDNA4 ISA, section 7.12 (WMMA).
namespace gridwise {

GRIDWISE_MMA(kWmma12, 16, 16, 16, kF16, __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, acc))
GRIDWISE_MMA(kWmma12, 16, 16, 16, kBF16,
             __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(Pack<PackedI16x8>(a),
                                                               Pack<PackedI16x8>(b), acc))
GRIDWISE_MMA(kWmma12, 16, 16, 16, kI8,
             __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32_gfx12(true, Pack<PackedI32x2>(a), true,
                                                              Pack<PackedI32x2>(b), acc, false))
GRIDWISE_MMA(kWmma12, 16, 16, 16, kF8E4M3,
             __builtin_amdgcn_wmma_f32_16x16x16_fp8_fp8_w32_gfx12(Pack<PackedI32x2>(a),
                                                                  Pack<PackedI32x2>(b), acc))
GRIDWISE_MMA(kWmma12, 16, 16, 16, kF8E5M2,
             __builtin_amdgcn_wmma_f32_16x16x16_bf8_bf8_w32_gfx12(Pack<PackedI32x2>(a),
                                                                  Pack<PackedI32x2>(b), acc))

}  // namespace gridwise
