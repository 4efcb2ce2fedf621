#pragma once

#include <string>
#include <variant>

#include "core/arch/device_facts.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/launch/launch.h"
#include "core/passes/columns_args.h"

namespace gridwise {

/// The 1x1 problem that backward-weight is on columns: x with what each output pixel's filter meets
/// as channels (tap, channel), of which dw has one tap. Or the sentence why it is none: columns of
/// 2^31 elements or more, or a dw whose taps and channels are no neighbours.
std::variant<std::string, ConvProblem> ColumnsProblem(const ConvProblem& problem);

/// Arguments of the copy of `problem`'s x into that of `columns`; pointers null.
ColumnsArgs PlanColumns(const ConvProblem& problem, const ConvProblem& columns);

/// Elements of `bytes` bytes each that a lane may copy together, since they are neighbours in x and
/// in the copy: a power of two, of up to 16 bytes.
int ElementsOfWord(const ColumnsArgs& args, int bytes);
/// The same copy in words of so many elements.
ColumnsArgs InWords(ColumnsArgs args, int elements);

/// Estimated cycles of the launch.
double ColumnsCycles(const ConvProblem& problem, const ConvProblem& columns,
                     const DeviceFacts& device);

/// Its launch, from `from` to `to`.
KernelLaunch MakeColumnsLaunch(const ConvProblem& problem, const ConvProblem& columns, Gfx gfx,
                               const Place& from, const Place& to);

}  // namespace gridwise
