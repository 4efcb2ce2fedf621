// SPDX-License-Identifier: MIT
#include "core/passes/converted_type.h"

#include <cstdint>

namespace gridwise {

DataType MultipliedType(const ConvProblem& problem, Gfx gfx) {
  if (TraitsOf(gfx).mma_unit != MmaUnit::kWgmma) return problem.type;
  if (!IsFloat8(problem.type)) return StoredType(problem.type);
  return problem.output_type() == DataType::kBF16 ? DataType::kBF16 : DataType::kF16;
}

DataType ConvertedType(const ConvProblem& problem, Gfx gfx) {
  constexpr std::int64_t kMaxTerms = (1 << 24) / (128 * 128);
  const bool is_exact = problem.type == DataType::kI8 && problem.reduction_length() <= kMaxTerms;
  return is_exact && TraitsOf(gfx).mma_unit == MmaUnit::kWgmma ? DataType::kF16
                                                               : MultipliedType(problem, gfx);
}

}  // namespace gridwise
