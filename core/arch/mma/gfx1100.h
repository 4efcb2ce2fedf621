// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/mma/instruction.h"

/// Matrix instructions of RDNA3, for waves of 32. i8: both operands are signed, and sums wrap.
/// Source: RDNA3 ISA, section 7.9 (WMMA).
namespace gridwise {

GRIDWISE_MMA(kWmma11, 16, 16, 16, kF16, __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, acc))
GRIDWISE_MMA(kWmma11, 16, 16, 16, kBF16,
             __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(Pack<PackedI16x16>(a),
                                                         Pack<PackedI16x16>(b), acc))
GRIDWISE_MMA(kWmma11, 16, 16, 16, kI8,
             __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(true, Pack<PackedI32x4>(a), true,
                                                        Pack<PackedI32x4>(b), acc, false))

}  // namespace gridwise
