// SPDX-License-Identifier: MIT
#pragma once

#include "core/conv/problem.h"
#include "core/passes/operand_form.h"

/// The forms of operands that kernels with TMA need. 8-bit floats are f16 or bf16 in all of them.

namespace gridwise::hopper {

/// Few channels are copied so that TMA can load them: pixels are multiples of 16 bytes apart.
const OperandForm& Spaced();
/// As Spaced for 16-bit types. tf32 stays tf32, and w of backward-data is transposed for it.
const OperandForm& SpacedPatches();
/// As Spaced, with groups a power of two apart: several are computed at once. tf32 stays tf32,
/// which is f32 in Spaced.
const OperandForm& SpacedGroups();
/// As Spaced, with taps as columns or rows where that pays. tf32 stays tf32; w of backward-data is
/// transposed for it.
const OperandForm& SpacedTaps();
/// f32: as SpacedTaps, and B in bf16 parts (core/arch/parts.h); B1 is B.
const OperandForm& SpacedParts();

/// Whether SpacedGroups differs from Spaced.
bool SpacesGroups(const ConvProblem& problem);

}  // namespace gridwise::hopper
