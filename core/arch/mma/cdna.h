// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/mma/instruction.h"

/// Matrix instructions of CDNA2, CDNA3 and CDNA4. Source: CDNA3 ISA, section 7 (matrix core
/// instructions).
namespace gridwise {

#define GRIDWISE_MFMA(name, ...) __builtin_amdgcn_mfma_f32_##name(__VA_ARGS__, acc, 0, 0, 0)
#define GRIDWISE_MFMA_BF16(name) GRIDWISE_MFMA(name, Pack<PackedI16x4>(a), Pack<PackedI16x4>(b))

GRIDWISE_MMA(kMfma, 32, 32, 2, kF32, GRIDWISE_MFMA(32x32x2f32, a[0], b[0]))
GRIDWISE_MMA(kMfma, 16, 16, 4, kF32, GRIDWISE_MFMA(16x16x4f32, a[0], b[0]))
GRIDWISE_MMA(kMfma, 32, 32, 8, kF16, GRIDWISE_MFMA(32x32x8f16, a, b))
GRIDWISE_MMA(kMfma, 16, 16, 16, kF16, GRIDWISE_MFMA(16x16x16f16, a, b))
GRIDWISE_MMA(kMfma, 4, 4, 4, kF16, GRIDWISE_MFMA(4x4x4f16, a, b))
GRIDWISE_MMA(kMfma, 32, 32, 8, kBF16, GRIDWISE_MFMA_BF16(32x32x8bf16_1k))
GRIDWISE_MMA(kMfma, 16, 16, 16, kBF16, GRIDWISE_MFMA_BF16(16x16x16bf16_1k))
GRIDWISE_MMA(kMfma, 4, 4, 4, kBF16, GRIDWISE_MFMA_BF16(4x4x4bf16_1k))

}  // namespace gridwise
