// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/problem.h"

namespace gridwise {

/// The type in which operands are copied for matrix instructions, or their own. `wgmma` adds up
/// fewer bits of products of 8-bit floats than f32 has. For it, these become f16, which has all
/// their values, or bf16 if that is the output's type. tf32 is f32 for kernels that multiply f32,
/// on targets with `wgmma`.
DataType MultipliedType(const ConvProblem& problem, Gfx gfx);

/// The same for kernels that use other instructions on targets with `wgmma`: i8 too becomes f16, if
/// sums are integers that f32 represents.
DataType ConvertedType(const ConvProblem& problem, Gfx gfx);

}  // namespace gridwise
