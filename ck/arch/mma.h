#pragma once

#include "ck/arch/gpu.h"
#include "ck/arch/mma_shape.h"

namespace gridwise {

/// Accumulators of one matrix instruction: lane's elements of D, by OwnerOfAcc.
template <MmaShape kMma>
using Acc = Vec<float, AccPerLane(kMma)>;

/// acc += a * b. Each lane passes 4 consecutive k of row (a) or column (b) lane % m, by OwnerOfK.
/// All lanes take part, whatever EXEC says.
template <MmaShape kMma>
GRIDWISE_DEVICE Acc<kMma> Mma(Vec<Half, 4> a, Vec<Half, 4> b, Acc<kMma> acc) {
  if constexpr (kMma == MmaShape{32, 32, 8}) {
    return __builtin_amdgcn_mfma_f32_32x32x8f16(a, b, acc, 0, 0, 0);
  } else {
    static_assert(kMma == MmaShape{16, 16, 16}, "no matrix instruction of this shape");
    return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, acc, 0, 0, 0);
  }
}

}  // namespace gridwise
