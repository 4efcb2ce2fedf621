// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/launch/launch.h"
#include "core/passes/plan_transpose.h"
#include "core/passes/plan_widen.h"
#include "core/passes/split_args.h"

/// Launches that copy a tensor.

namespace gridwise {

KernelLaunch MakeTransposeLaunch(Gfx gfx, DataType type, const Matrices& matrices,
                                 const MemoryOffset& from, const MemoryOffset& to);

/// Converts to another element type.
KernelLaunch MakeConvertLaunch(Gfx gfx, DataType from_type, DataType to_type, std::int64_t elements,
                               const MemoryOffset& from, const MemoryOffset& to);

/// Splits f32 into parts.
KernelLaunch MakeSplitLaunch(Gfx gfx, const SplitArgs& args, const MemoryOffset& from,
                             const MemoryOffset& to);

/// A copy of lines, of elements of a type.
struct LinesCopy {
  Lines lines;
  MemoryOffset from, to;
};

/// The copies that launches make one after the other: each makes one or, where kernels can, two of
/// different tensors. A tensor's copies are made in their order.
std::vector<std::vector<LinesCopy>> CopiesOfLaunches(
    Gfx gfx, DataType type, const std::vector<std::vector<LinesCopy>>& of_tensors);

/// The launch of one copy or two.
KernelLaunch MakeWidenLaunch(Gfx gfx, DataType type, const std::vector<LinesCopy>& copies);

}  // namespace gridwise
