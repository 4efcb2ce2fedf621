// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/passes/padding_args.h"

namespace gridwise {

/// Describes which products of forward or backward-data of one group have padding. `type` is that
/// of w in memory; the address of w is null.
PaddingArgs PlanPadding(const ConvProblem& problem, DataType type);

}  // namespace gridwise
