#pragma once

#include "core/base/math.h"
#include "core/base/unary.h"
#include "core/launch/epilogue_args.h"

namespace gridwise {

/// Lanes of a workgroup of the reducing kernel.
inline constexpr int kReduceThreads = 256;
/// Neighbouring elements that a lane adds up.
inline constexpr int kReduceElements = 4;
/// Splits whose loads are under way at a time.
inline constexpr int kReduceAtATime = 8;

/// Where workgroups are few: groups of lanes that share an element's splits, and the elements of a
/// workgroup.
inline constexpr int kReduceSlices = 8;
inline constexpr int kSharedReduceElements = kReduceThreads / kReduceSlices * kReduceElements;

/// Kernel arguments of the sum over splits of K. Elements are in the order of the output in memory.
struct ReduceArgs {
  const float* partial;  // [splits], of which this launch adds up `elements` elements
  long split_elements;   // from one split to the next
  int elements, splits;
  // Axes of the output in the order of memory, outermost first, and bytes from one index to the
  // next of the tensors that the epilogue combines. Their OutputStrides are not used here.
  int size[6];
  MagicDiv by_size[6];
  long tensor_stride[2][6];
  EpilogueArgs epilogue;
  Unary unary;  // after it has combined and before it clamps
  float unary_parameter;
};

}  // namespace gridwise
