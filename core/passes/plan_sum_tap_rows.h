// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/launch/launch.h"
#include "core/passes/layout_passes.h"
#include "core/passes/plan_widen.h"
#include "core/passes/sum_tap_rows_args.h"
#include "core/rewrite/tap_rows.h"

namespace gridwise {

/// The lines of dy's copy: for each pixel of x along w, the pixels that it meets.
Lines LinesOfTapRows(const ConvProblem& problem, const TapRows& rows);

/// Arguments of the launch that makes dw of `problem` from that of its `rows` in `splits` splits;
/// pointers null.
SumTapRowsArgs PlanSumTapRows(const ConvProblem& problem, const TapRows& rows, int splits);

/// Appends that launch; the splits are at byte `sums_at` of the workspace. `dy` and the x of
/// `offsets` belong to the whole problem.
void AddSumTapRowsLaunch(const ConvProblem& problem, const TapRows& rows, Gfx gfx, int splits,
                         std::int64_t sums_at, const MemoryOffset& dy, const TensorOffsets& offsets,
                         LaunchPlan& plan);

}  // namespace gridwise
