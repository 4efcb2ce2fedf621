// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/mma/cdna.h"

/// Instructions of CDNA3 only: 8-bit operands in 64 bits, FNUZ floats.
namespace gridwise {

#define GRIDWISE_MFMA_I8(name) \
  __builtin_amdgcn_mfma_i32_##name(Pack<long>(a), Pack<long>(b), acc, 0, 0, 0)

GRIDWISE_MMA(kMfma, 32, 32, 16, kI8, GRIDWISE_MFMA_I8(32x32x16_i8))
GRIDWISE_MMA(kMfma, 16, 16, 32, kI8, GRIDWISE_MFMA_I8(16x16x32_i8))
GRIDWISE_MMA(kMfma, 32, 32, 16, kF8E4M3Fnuz,
             GRIDWISE_MFMA(32x32x16_fp8_fp8, Pack<long>(a), Pack<long>(b)))
GRIDWISE_MMA(kMfma, 16, 16, 32, kF8E4M3Fnuz,
             GRIDWISE_MFMA(16x16x32_fp8_fp8, Pack<long>(a), Pack<long>(b)))
GRIDWISE_MMA(kMfma, 32, 32, 16, kF8E5M2Fnuz,
             GRIDWISE_MFMA(32x32x16_bf8_bf8, Pack<long>(a), Pack<long>(b)))
GRIDWISE_MMA(kMfma, 16, 16, 32, kF8E5M2Fnuz,
             GRIDWISE_MFMA(16x16x32_bf8_bf8, Pack<long>(a), Pack<long>(b)))

}  // namespace gridwise
