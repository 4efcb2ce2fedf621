// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"
#include "core/passes/columns_args.h"

namespace gridwise {

/// See ColumnsArgs; one element per lane. Word is an unsigned integer of the size of one element,
/// or of several adjacent ones together.
template <class Word>
GRIDWISE_DEVICE void ColumnsTile(const ColumnsArgs& args) {
  const int at = BlockIdX() * kColumnsThreads + ThreadId();
  if (at >= args.elements) return;
  long offset = args.first;
  int pixel[3] = {args.pixel[0], args.pixel[1], args.pixel[2]};
  int rest = at;
  for (int i = ColumnsArgs::kDigits - 1; i >= 0; --i) {
    const int outer = static_cast<int>(Divide(static_cast<unsigned>(rest), args.digit[i].by));
    const int index = rest - outer * args.digit[i].size;
    offset += index * args.digit[i].unit;
    for (int axis = 0; axis < 3; ++axis) {  // registers cannot be indexed
      pixel[axis] += axis == args.digit[i].axis ? index * args.digit[i].step : 0;
    }
    rest = outer;
  }
  bool exists = true;
  for (int axis = 0; axis < 3; ++axis)
    exists &= pixel[axis] >= 0 && pixel[axis] < args.pixels[axis];
  static_cast<Word*>(args.to)[at] = exists ? static_cast<const Word*>(args.from)[offset] : Word{};
}

}  // namespace gridwise
