// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <variant>

#include "core/arch/device_facts.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/launch/launch.h"
#include "core/passes/columns_args.h"

namespace gridwise {

/// Backward-weight as a 1x1 problem on columns: the channels (tap, channel) of x are the elements
/// that each output pixel's filter meets, and dw has one tap. Or a sentence why it cannot be one:
/// columns of 2^31 or more elements, or a dw whose taps and channels are not adjacent.
std::variant<std::string, ConvProblem> ColumnsProblem(const ConvProblem& problem);

/// Arguments of the copy of `problem`'s x to that of `columns`; pointers null.
ColumnsArgs PlanColumns(const ConvProblem& problem, const ConvProblem& columns);

/// Number of elements of `bytes` bytes each that a lane may copy together, because they are
/// adjacent in x and in the copy: a power of two, up to 16 bytes.
int ElementsOfWord(const ColumnsArgs& args, int bytes);
/// The same copy in words of `elements` elements.
ColumnsArgs InWords(ColumnsArgs args, int elements);

/// Estimated cycles of the launch.
double ColumnsCycles(const ConvProblem& problem, const ConvProblem& columns,
                     const DeviceFacts& device);

/// The launch, from `from` to `to`.
KernelLaunch MakeColumnsLaunch(const ConvProblem& problem, const ConvProblem& columns, Gfx gfx,
                               const MemoryOffset& from, const MemoryOffset& to);

/// Arguments of the copy of w for Prepared::has_runs_of_y: [z][y][c][x][k], with the last tap along
/// x first, and as many k as w of `deeper` has for each of them. Pointers null.
ColumnsArgs PlanRunsOfWeights(const ConvProblem& canonical, const ConvProblem& deeper);

/// That launch, from `from` to `to`.
KernelLaunch MakeRunsOfWeightsLaunch(const ConvProblem& canonical, const ConvProblem& deeper,
                                     Gfx gfx, const MemoryOffset& from, const MemoryOffset& to);

}  // namespace gridwise
