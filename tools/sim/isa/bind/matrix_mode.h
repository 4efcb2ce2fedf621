// SPDX-License-Identifier: MIT
#pragma once

#include "tools/sim/wave/uop.h"

/// How matrix instructions add, gfx942's on f16, bf16, xf32, fp8 and bf8 and those of gfx1100 and
/// gfx1201 on f16 and bf16: fast (fused multiply-adds in the order of k), or exactly as the
/// hardware does (exec/matrix/mma_exact.h, exec/rdna_dot.h). A process has one mode:
/// GRIDWISE_SIM_MATRIX=fast (the default) or exact, and what SetMatrixMode says, for instructions
/// that are executed later.

namespace gridwise::sim {

enum class MatrixMode : int { kFast, kExact };

/// Read it by ExactMatrices or GetMatrixMode, which asks the environment first.
inline constexpr int kUnsetMatrixMode = -1;
extern int matrix_mode;

void SetMatrixMode(MatrixMode mode);
MatrixMode GetMatrixMode();

/// For handlers; binding a matrix instruction has asked the environment.
GRIDWISE_SIM_INLINE bool ExactMatrices() {
  return __atomic_load_n(&matrix_mode, __ATOMIC_RELAXED) == static_cast<int>(MatrixMode::kExact);
}

}  // namespace gridwise::sim
