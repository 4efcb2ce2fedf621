#pragma once

#include "core/arch/gpu.h"
#include "core/arch/this_target.h"
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

/// The elements of a run of the copy. Where lanes make several, with less arithmetic if they are
/// neighbours in the source too.
template <class Word>
GRIDWISE_DEVICE Vec<Word, kWidenElements> WidenedRun(const WidenArgs& args, int first) {
  using Run = Vec<Word, kWidenElements>;
  const Word* const from = static_cast<const Word*>(args.from);
  if (WidenRuns(kThisTarget) > 1 && args.item == 1 && args.of_row == 1) {
    const int line = static_cast<int>(Divide(first, args.by_to_line));
    const int at = first - line * args.to_line, item = at - args.before;
    const Word* const run = from + static_cast<long>(line) * args.from_line + item;
    if (item >= 0 && item + kWidenElements <= args.from_line && at + kWidenElements <= args.used &&
        reinterpret_cast<unsigned long>(run) % sizeof(Run) == 0) {
      return *reinterpret_cast<const Run*>(run);
    }
  }
  Run run = {};
  WidenedFrom source(args, first);
#pragma unroll
  for (int i = 0; i < kWidenElements; ++i, source.Next(args)) {
    if (source.at == args.to_line) source = WidenedFrom(args, first + i);
    const bool is_there = source.at < args.used && source.item >= 0 &&
                          source.item < args.from_line && first + i < args.elements;
    if (is_there) run[i] = from[source.row + source.item * args.item + source.e];
  }
  return run;
}

/// Copies lines into longer ones, runs of kWidenElements elements; see WidenArgs. Word is an
/// unsigned integer of an element's size. The copy is aligned to a run.
template <class Word>
GRIDWISE_DEVICE void WidenTile(const WidenArgs& args) {
  using Run = Vec<Word, kWidenElements>;
  constexpr int kRuns = WidenRuns(kThisTarget), kApart = kWidenThreads * kWidenElements;
  const int first = BlockIdX() * kRuns * kApart + ThreadId() * kWidenElements;
  Run run[kRuns];  // all on their way before the first is stored
#pragma unroll
  for (int r = 0; r < kRuns; ++r) {
    if (first + r * kApart < args.elements) run[r] = WidenedRun<Word>(args, first + r * kApart);
  }
#pragma unroll
  for (int r = 0; r < kRuns; ++r) {
    const int at = first + r * kApart;
    Word* const to = static_cast<Word*>(args.to) + at;
    if (at + kWidenElements <= args.elements) {
      *reinterpret_cast<Run*>(to) = run[r];
      continue;
    }
#pragma unroll
    for (int i = 0; i < kWidenElements; ++i) {
      if (at + i < args.elements) to[i] = run[r][i];
    }
  }
}

}  // namespace gridwise
