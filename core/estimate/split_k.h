#pragma once

#include <limits>

#include "absl/functional/function_ref.h"
#include "core/arch/device_facts.h"
#include "core/base/types.h"
#include "core/launch/part_kernel.h"

namespace gridwise {

/// The size of a launch that computes tiles of an output in steps of K.
struct Work {
  double tiles = 0;         // of the output, of all groups
  double steps = 0;         // of the main loop, of all tiles together
  double most_steps = 0;    // of a tile; less than the mean: all have the same
  double out_elements = 0;  //
  double tap_steps = 0;     // of them, those that are the first ones of a tap
  double ragged_steps = 0;  // of them, those whose channels end within a vector
};

/// The bound of ChooseSplitK that rules nothing out.
inline bool NoBound(int, double) { return false; }

/// `split_k` with its zeros filled in, but for partial_elements of a single split, for operands of
/// `type`. Of the numbers of splits that fill the device's units once, twice, ..., and the powers
/// of two, whose splits have some steps each, and not many more workgroups than the device has
/// units, it takes the one whose time_of(splits), in any unit, is least; 1 where partial sums are
/// not f32, or there are 2^31 or more. Where is_over(splits, time), time_of(splits) is over `time`,
/// and need not be asked. Those that are sure to take longer than `enough` are left out, and if
/// that is all of them, it takes 1. Where splits are joined, it takes 2 or more, unless K is too
/// short.
SplitK ChooseSplitK(SplitK split_k, DataType type, const DeviceFacts& device, const Work& work,
                    absl::FunctionRef<double(int splits)> time_of,
                    absl::FunctionRef<bool(int splits, double time)> is_over = NoBound,
                    double enough = std::numeric_limits<double>::infinity());

}  // namespace gridwise
