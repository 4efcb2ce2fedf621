#pragma once

#include "core/arch/gpu.h"
#include "core/passes/widen_args.h"

namespace gridwise {

/// Where an element of a copied line comes from, see WidenArgs.
struct WidenedFrom {
  long row;     // its first element
  int at;       // of the line
  int item, e;  // of the row, of the item

  GRIDWISE_DEVICE WidenedFrom(const WidenArgs& args, int element) {
    const int line = static_cast<int>(Divide(element, args.by_to_line));
    const int of = static_cast<int>(Divide(line, args.by_of_row));
    at = element - line * args.to_line;
    row = static_cast<long>(of) * args.from_line * args.item;
    const int first = static_cast<int>(Divide(at, args.by_item));
    item = (line - of * args.of_row) * args.step - args.before + first;
    e = at - first * args.item;
  }
  /// To the next element of the line.
  GRIDWISE_DEVICE void Next(const WidenArgs& args) {
    ++at;
    if (++e == args.item) e = 0, ++item;
  }
};

/// Copies lines into longer ones, kWidenElements elements per lane; see WidenArgs. Word is an
/// unsigned integer of an element's size. The copy is aligned to a run of them.
template <class Word>
GRIDWISE_DEVICE void WidenTile(const WidenArgs& args) {
  using Run = Vec<Word, kWidenElements>;
  const int first = (BlockIdX() * kWidenThreads + ThreadId()) * kWidenElements;
  if (first >= args.elements) return;
  const Word* const from = static_cast<const Word*>(args.from);
  Run run = {};
  WidenedFrom source(args, first);
#pragma unroll
  for (int i = 0; i < kWidenElements; ++i, source.Next(args)) {
    if (source.at == args.to_line) source = WidenedFrom(args, first + i);
    const bool is_there = source.at < args.used && source.item >= 0 &&
                          source.item < args.from_line && first + i < args.elements;
    if (is_there) run[i] = from[source.row + source.item * args.item + source.e];
  }
  Word* const to = static_cast<Word*>(args.to) + first;
  if (first + kWidenElements <= args.elements) {
    *reinterpret_cast<Run*>(to) = run;
    return;
  }
#pragma unroll
  for (int i = 0; i < kWidenElements; ++i) {
    if (first + i < args.elements) to[i] = run[i];
  }
}

}  // namespace gridwise
