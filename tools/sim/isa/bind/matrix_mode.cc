// SPDX-License-Identifier: MIT
#include "tools/sim/isa/bind/matrix_mode.h"

#include <cstdlib>
#include <string_view>

namespace gridwise::sim {
namespace {

int ModeFromEnvironment() {
  const char* mode = std::getenv("GRIDWISE_SIM_MATRIX");
  return static_cast<int>(mode != nullptr && std::string_view(mode) == "exact" ? MatrixMode::kExact
                                                                               : MatrixMode::kFast);
}

}  // namespace

int matrix_mode = kUnsetMatrixMode;

void SetMatrixMode(MatrixMode mode) {
  __atomic_store_n(&matrix_mode, static_cast<int>(mode), __ATOMIC_RELAXED);
}
MatrixMode GetMatrixMode() {
  if (__atomic_load_n(&matrix_mode, __ATOMIC_RELAXED) == kUnsetMatrixMode) {
    int unset = kUnsetMatrixMode;
    __atomic_compare_exchange_n(&matrix_mode, &unset, ModeFromEnvironment(), /*weak=*/false,
                                __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  }
  return ExactMatrices() ? MatrixMode::kExact : MatrixMode::kFast;
}

}  // namespace gridwise::sim
