// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>

#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/passes/operand_form.h"
#include "core/passes/plan_widen.h"
#include "core/passes/prepare.h"

namespace gridwise {

/// The copies of an operand, each made from the one before; nullopt where there is no such copy.
struct CopiedLines {
  std::array<std::optional<Lines>, 6> whole;  // of everything that kernels add up
  std::array<std::optional<Lines>, 2> apart;  // with taps or pixels moved apart
};
CopiedLines FindCopiedLines(const Prepared& prepared, Tensor tensor, Gfx gfx,
                            const OperandForm& form);

/// The problem that kernels compute, with the strides of padded pixels.
ConvProblem ProblemOf(const Prepared& prepared, Gfx gfx, const OperandForm& form);

}  // namespace gridwise
