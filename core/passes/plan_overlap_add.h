// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/launch/launch.h"
#include "core/passes/layout_passes.h"
#include "core/passes/overlap_add_args.h"
#include "core/rewrite/tap_columns.h"

namespace gridwise {

/// Arguments of the launch that makes the output of `problem` from its `columns` in `splits`
/// splits, on a device with `xcds` XCDs; pointers null. The caller's w has type `weights_type`.
OverlapAddArgs PlanOverlapAdd(const ConvProblem& problem, const TapColumns& columns,
                              DataType weights_type, int splits, int xcds);

/// Appends that launch; the columns are at byte `columns_at` of the workspace.
void AddOverlapAddLaunch(const ConvProblem& problem, const TapColumns& columns,
                         DataType weights_type, Gfx gfx, int splits, std::int64_t columns_at,
                         const TensorOffsets& offsets, LaunchPlan& plan);

}  // namespace gridwise
