// SPDX-License-Identifier: MIT
/// Tensors of any DataType on the host, as bytes in memory and as numbers.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/arch/target.h"
#include "core/base/types.h"

namespace gridwise {

/// `value` rounded to the nearest element of `type`, ties to even. Values that are too large become
/// infinite, NaN if the type has no infinity, or the nearest end of an integer's range.
float RoundTo(DataType type, float value);

/// Tensors of `type` filled with this byte have elements that no kernel writes: NaN, or integers
/// beyond any sum.
unsigned char PoisonByte(DataType type);

/// Random operands of `type` are spread over [-OperandRange, OperandRange).
float OperandRange(DataType type);

/// Makes 0 of operands of `type` that kernels of the target read in two ways. gfx90a's matrix
/// instructions and dot products take denormals of f16 and bf16 as 0, and its other instructions
/// do not. Source: PyTorch, "Numerical Accuracy", on AMD Instinct MI200 devices.
void FlushAmbiguous(DataType type, Gfx gfx, std::span<float> operands);

/// The elements nearest to `values`, as they lie in memory.
std::vector<std::byte> Encode(DataType type, std::span<const float> values);

/// The numbers in `bytes`, exact except for i32 of more than 24 bits. An incomplete last element is
/// left out.
std::vector<float> Decode(DataType type, std::span<const std::byte> bytes);

/// The same, exact for all types.
std::vector<double> DecodeExactly(DataType type, std::span<const std::byte> bytes);

}  // namespace gridwise
