// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/mma/cdna.h"

/// Instructions that later generations of CDNA lack: 8-bit integers in 32 bits. Source: AMD
/// Instinct MI200 ISA, section 7.
namespace gridwise {

#define GRIDWISE_MFMA_I8(name) \
  __builtin_amdgcn_mfma_i32_##name(Pack<int>(a), Pack<int>(b), acc, 0, 0, 0)

GRIDWISE_MMA(kMfma, 32, 32, 8, kI8, GRIDWISE_MFMA_I8(32x32x8i8))
GRIDWISE_MMA(kMfma, 16, 16, 16, kI8, GRIDWISE_MFMA_I8(16x16x16i8))

}  // namespace gridwise
