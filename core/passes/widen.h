#pragma once

#include "core/arch/gpu.h"
#include "core/passes/widen_args.h"

namespace gridwise {

/// Where the elements of a copied line come from, see WidenArgs: neighbours come from neighbours,
/// as far as the row goes.
struct WidenedFrom {
  long row;    // its first element
  int of_row;  // of the row; may be none of its
  int of_line;

  GRIDWISE_DEVICE WidenedFrom(const WidenArgs& args, int element) {
    const int line = static_cast<int>(Divide(element, args.by_to_line));
    const int from = static_cast<int>(Divide(line, args.by_of_row));
    row = static_cast<long>(from) * args.from_line * args.item;
    of_line = element - line * args.to_line;
    of_row = ((line - from * args.of_row) * args.step - args.before) * args.item + of_line;
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
  const auto row_elements = static_cast<unsigned>(args.from_line * args.item);
  WidenedFrom source(args, first);
#pragma unroll
  for (int i = 0; i < kWidenElements; ++i) {
    if (source.of_line == args.to_line) source = WidenedFrom(args, first + i);
    bool is_there = source.of_line < args.used;
    is_there &= static_cast<unsigned>(source.of_row) < row_elements;
    is_there &= first + i < args.elements;
    if (is_there) run[i] = from[source.row + source.of_row];
    ++source.of_line;
    ++source.of_row;
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
