// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/math.h"
#include "core/base/unary.h"
#include "core/launch/epilogue_args.h"

namespace gridwise {

/// Lanes per workgroup of the reducing kernel.
inline constexpr int kReduceThreads = 256;
/// Adjacent elements that a lane adds up.
inline constexpr int kReduceElements = 4;
/// Splits whose loads are in flight at a time.
inline constexpr int kReduceAtATime = 8;

/// For few workgroups: groups of lanes that share an element's splits. On Hopper there are also
/// half as many, a quarter and twice as many.
inline constexpr int kReduceSlices = 8;

/// Kernel arguments of the sum over splits of K. Elements are in memory order of the output.
struct ReduceArgs {
  const float* partial;  // [splits]; this launch adds up `elements` elements of each
  long split_elements;   // from one split to the next
  int elements, splits;
  // Axes of the output in memory order, outermost first, and the bytes from one index to the next
  // in the tensors that the epilogue combines. Their OutputStrides are not used here.
  int size[6];
  MagicDiv by_size[6];
  long tensor_stride[2][6];
  EpilogueArgs epilogue;
  Unary unary;  // applied after combining and before clamping
  float unary_parameter;
};

}  // namespace gridwise
