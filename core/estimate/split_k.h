// SPDX-License-Identifier: MIT
#pragma once

#include <limits>

#include "absl/functional/function_ref.h"
#include "core/arch/device_facts.h"
#include "core/base/types.h"
#include "core/launch/part_kernel.h"

namespace gridwise {

/// The size of a launch that computes tiles of an output in steps of K.
struct Work {
  double tiles = 0;         // of the output, in all groups
  double steps = 0;         // of the main loop, in all tiles together
  double max_steps = 0;     // per tile; less than the mean: all have the same
  double out_elements = 0;  //
  double tap_steps = 0;     // of those, the first steps of a tap
  double ragged_steps = 0;  // of those, steps whose channels end within a vector
};

/// The bound of ChooseSplitK that excludes nothing.
inline bool NoBound(int, double) { return false; }

/// Returns `split_k` with its zeros filled in for operands of `type`, except for partial_elements
/// of a single split. The candidates are the numbers of splits that fill the device's units once,
/// twice, ..., and the powers of two, if each split has several steps and there are not many more
/// workgroups than units. It takes the candidate with the least time_of(splits), in any unit; 1 if
/// partial sums are not f32, or there are 2^31 or more of them.
///
/// If is_over(splits, time) is true, time_of(splits) is over `time` and is not called. Candidates
/// that certainly take longer than `enough` are left out; if that is all of them, it takes 1. If
/// splits have a fix-up, it takes 2 or more, unless K is too short.
SplitK ChooseSplitK(SplitK split_k, DataType type, const DeviceFacts& device, const Work& work,
                    absl::FunctionRef<double(int splits)> time_of,
                    absl::FunctionRef<bool(int splits, double time)> is_over = NoBound,
                    double enough = std::numeric_limits<double>::infinity());

}  // namespace gridwise
