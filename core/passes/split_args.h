// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/math.h"

namespace gridwise {

/// Lanes per workgroup of the splitting kernel, and adjacent elements that each lane splits.
inline constexpr int kSplitThreads = 256;
inline constexpr int kSplitElements = 8;
/// Parts of an element: kParts of core/arch/parts.h, which host code cannot include.
inline constexpr int kSplitParts = 3;

/// Kernel arguments of the split of f32 into bf16 parts (core/arch/parts.h): to[part][i] from
/// from[i].
///
/// For w with merged groups: a line of `item` channels of a group becomes a line of `merged` times
/// as many, with zeros for the other groups. The groups take turns after `of_group` lines each:
///
///   to[part][line][group][i] from from[line][i] if group == line / of_group % merged, else from 0
struct SplitArgs {
  const void* from;
  void* to;
  long elements;  // of each part
  long apart;     // elements from one part to the next, a multiple of kSplitElements
  int merged;     // groups; 1: none, and the fields below are not used
  int item;
  MagicDiv by_line, by_item, by_of_group;
};

}  // namespace gridwise
