// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"
#include "core/passes/widen_args.h"

namespace gridwise {

/// Where the elements of a copied line come from, see WidenArgs: adjacent elements come from
/// adjacent ones, up to the end of the row.
struct WidenedFrom {
  long row;    // its first element
  int of_row;  // index in the row; may be outside of it
  int of_line;

  GRIDWISE_DEVICE WidenedFrom(const WidenArgs& args, int element) {
    const int line = static_cast<int>(Divide(element, args.by_to_line));
    const int from = static_cast<int>(Divide(line, args.by_of_row));
    row = static_cast<long>(from) * args.from_row * args.item;
    of_line = element - line * args.to_line;
    of_row = ((line - from * args.of_row) * args.step - args.before) * args.item + of_line;
  }
};

/// Copies lines into longer ones, kWidenElements elements per lane; see WidenArgs. Word is an
/// unsigned integer of an element's size. The copy is aligned to a run of words.
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

/// A word at any alignment. (Volatile: otherwise the compiler assumes alignment.)
template <class Word>
GRIDWISE_DEVICE Word LoadUnaligned(const Word* from) {
  const auto* const bytes = reinterpret_cast<const volatile unsigned char*>(from);
  Vec<unsigned char, sizeof(Word)> word;
#pragma unroll
  for (unsigned i = 0; i < sizeof(Word); ++i) word[i] = bytes[i];
  return __builtin_bit_cast(Word, word);
}

/// The same with words of several elements; in `from`, only elements are certain to be aligned. A
/// lane's words are apart, so that adjacent lanes move adjacent words. All of a lane's loads are in
/// flight before the first one is stored.
template <class Word>
GRIDWISE_DEVICE void WidenWords(const WidenArgs& args, int workgroup) {
  const Word* const from = static_cast<const Word*>(args.from);
  const bool is_aligned = reinterpret_cast<unsigned long>(from) % sizeof(Word) == 0;
  const auto row_words = static_cast<unsigned>(args.from_line * args.item);
  const int first = workgroup * kWidenThreads * kWidenElements + ThreadId();
  Word words[kWidenElements] = {};
#pragma unroll
  for (int i = 0; i < kWidenElements; ++i) {
    const int at = first + i * kWidenThreads;
    const WidenedFrom source(args, at < args.elements ? at : 0);
    const bool is_there =
        source.of_line < args.used && static_cast<unsigned>(source.of_row) < row_words;
    if (!is_there || at >= args.elements) continue;
    const Word* const word = from + source.row + source.of_row;
    words[i] = is_aligned ? *word : LoadUnaligned(word);
  }
#pragma unroll
  for (int i = 0; i < kWidenElements; ++i) {
    const int at = first + i * kWidenThreads;
    if (at < args.elements) static_cast<Word*>(args.to)[at] = words[i];
  }
}
template <class Word>
GRIDWISE_DEVICE void WidenWords(const WidenArgs& args) {
  WidenWords<Word>(args, BlockIdX());
}
template <class Word>
GRIDWISE_DEVICE void WidenWordsOfTwo(const WidenTwoArgs& args) {
  const bool is_second = BlockIdX() >= args.workgroups;
  WidenWords<Word>(args.copy[is_second], BlockIdX() - (is_second ? args.workgroups : 0));
}

}  // namespace gridwise
