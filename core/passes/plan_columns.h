#pragma once

#include <string>
#include <variant>

#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/launch/launch.h"
#include "core/passes/columns_args.h"

namespace gridwise {

/// The 1x1 problem that backward-weight is on columns: x with what each output cell's filter meets
/// as channels (tap, channel), of which dw has one tap. Or the sentence why it is none: columns of
/// 2^31 elements or more, or a dw whose taps and channels are no neighbours.
std::variant<std::string, ConvProblem> ColumnsProblem(const ConvProblem& problem);

/// Arguments of the copy of `problem`'s x into that of `columns`; pointers null.
ColumnsArgs PlanColumns(const ConvProblem& problem, const ConvProblem& columns);

/// Its launch, from `from` to `to`.
KernelLaunch MakeColumnsLaunch(const ConvProblem& problem, const ConvProblem& columns, Gfx gfx,
                               const Place& from, const Place& to);

}  // namespace gridwise
