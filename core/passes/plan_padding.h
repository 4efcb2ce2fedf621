#pragma once

#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/passes/padding_args.h"

namespace gridwise {

/// What tells of forward or backward-data of one group which products are of padding; `type` is
/// that of w in memory, whose address is null.
PaddingArgs PlanPadding(const ConvProblem& problem, DataType type);

}  // namespace gridwise
