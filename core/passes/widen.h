#pragma once

#include "core/arch/gpu.h"
#include "core/passes/widen_args.h"

namespace gridwise {

/// Copies lines into longer ones, kWidenElements elements per lane; see WidenArgs. Word is an
/// unsigned integer of an element's size. The copy is aligned to a run of them.
template <class Word>
GRIDWISE_DEVICE void WidenTile(const WidenArgs& args) {
  using Run = Vec<Word, kWidenElements>;
  const int at = (BlockIdX() * kWidenThreads + ThreadId()) * kWidenElements;
  if (at >= args.elements) return;
  const Word* const from = static_cast<const Word*>(args.from);
  int item = static_cast<int>(Divide(at, args.by_to_item));
  int line = static_cast<int>(Divide(item, args.by_to_line));
  int e = at - item * args.to_item;
  item -= line * args.to_line + args.before;
  Run run = {};
#pragma unroll
  for (int i = 0; i < kWidenElements; ++i) {
    const long source = (static_cast<long>(line) * args.from_line + item) * args.from_item + e;
    const bool is_there = item >= 0 && item < args.from_line && e < args.from_item;
    if (is_there && at + i < args.elements) run[i] = from[source];
    if (++e < args.to_item) continue;
    e = 0;
    if (++item + args.before < args.to_line) continue;
    item = -args.before;
    ++line;
  }
  Word* const to = static_cast<Word*>(args.to) + at;
  if (at + kWidenElements <= args.elements) {
    *reinterpret_cast<Run*>(to) = run;
    return;
  }
#pragma unroll
  for (int i = 0; i < kWidenElements; ++i) {
    if (at + i < args.elements) to[i] = run[i];
  }
}

}  // namespace gridwise
