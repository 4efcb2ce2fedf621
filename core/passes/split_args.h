#pragma once

#include "core/base/math.h"

namespace gridwise {

/// Lanes of a workgroup of the splitting kernel, and neighbouring elements that each splits.
inline constexpr int kSplitThreads = 256;
inline constexpr int kSplitElements = 8;
/// Parts of an element: kParts of core/arch/parts.h, which only kernels include.
inline constexpr int kSplitParts = 3;

/// Kernel arguments of the split of f32 into bf16 parts (core/arch/parts.h): to[part][i] of
/// from[i].
///
/// Or of w whose groups are merged: a line of `item` channels of a group becomes one of `merged` as
/// many, with zeros for the other groups, which take turns each `of_group` lines:
///
///   to[part][line][group][i] of from[line][i] where group == line / of_group % merged, else of 0
struct SplitArgs {
  const void* from;
  void* to;
  long elements;  // of each part
  long apart;     // elements from one part to the next, a multiple of kSplitElements
  int merged;     // groups; 1: none, and what follows is not used
  int item;
  MagicDiv by_line, by_item, by_of_group;
};

}  // namespace gridwise
