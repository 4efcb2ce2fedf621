// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/math.h"

namespace gridwise {

/// Lanes per workgroup of the widening kernel.
inline constexpr int kWidenThreads = 256;
/// Adjacent elements that a lane makes.
inline constexpr int kWidenElements = 4;

/// Kernel arguments of a copy of lines, with zeros around the elements taken from the source. A row
/// of `from` is from_line items of `item` elements; of_row lines of `to` are made from it:
///
///   to[row][o][e] = from[row][o * step - before + e / item][e % item]
///
/// for e < used and items that exist, else 0.
struct WidenArgs {
  const void* from;
  void* to;
  int elements;                   // of `to`
  int from_line, from_row, item;  // items of a row, and from one to the next, which may overlap
  int of_row, to_line, used;      // lines, elements
  int step, before;               // items
  MagicDiv by_of_row, by_to_line;
};

/// The copies that a launch makes: the first workgroups make one, the others another.
struct WidenTwoArgs {
  WidenArgs copy[2];
  int workgroups;  // of the first copy
};

}  // namespace gridwise
