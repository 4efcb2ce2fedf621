// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"
#include "core/arch/mma_shape.h"
#include "core/arch/this_target.h"
#ifdef GRIDWISE_MMA_TABLE
#include GRIDWISE_MMA_TABLE
#endif

namespace gridwise {

/// acc += a * b by vector FMAs, each lane on its own.
///
/// RDNA issues two FMAs at once if their operands are in different register banks and their results
/// in an even and an odd register (RDNA3 ISA, section 7.6). Adjacent accumulators take adjacent k,
/// whose registers meet these conditions.
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

/// acc += a * b. All lanes take part in matrix instructions, whatever EXEC is.
template <MmaShape kMma, DataType kType>
GRIDWISE_DEVICE Acc<kMma, kType> Mma(MmaOperandA<kMma, kType> a, MmaOperandB<kMma, kType> b,
                                     Acc<kMma, kType> acc) {
  if constexpr (kMma.unit == MmaUnit::kFma) {
    return VectorFmas<kMma>(a, b, acc);
  } else {
    return MmaInstruction<kMma, kType>::Do(a, b, acc);
  }
}

}  // namespace gridwise
