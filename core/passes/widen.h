#pragma once

#include "core/arch/gpu.h"
#include "core/passes/widen_args.h"

namespace gridwise {

/// Copies lines into longer ones, an element per lane; see WidenArgs. Word is an unsigned integer
/// of an element's size.
template <class Word>
GRIDWISE_DEVICE void WidenTile(const WidenArgs& args) {
  const int at = BlockIdX() * kWidenThreads + ThreadId();
  if (at >= args.elements) return;
  const int line = static_cast<int>(Divide(at, args.by_to_line));
  const int e = at - line * args.to_line - args.before;
  Word value = 0;
  if (e >= 0 && e < args.from_line) {
    value = static_cast<const Word*>(args.from)[static_cast<long>(line) * args.from_line + e];
  }
  static_cast<Word*>(args.to)[at] = value;
}

}  // namespace gridwise
