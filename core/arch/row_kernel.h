#pragma once

#include <cstddef>

#include "core/arch/gpu.h"

/// What the sources of kernel tables share.

// Their assertions say a rule's own sentence.
#pragma clang diagnostic ignored "-Wc++26-extensions"

/// The symbol of the kernel of this line of a list of rows: explicit, so that host code knows it
/// (core/launch/row_symbol.h), and a name in a profile leads to the line.
#define GRIDWISE_ROW_SYMBOL(family) GRIDWISE_ROW_SYMBOL_AT(family, __LINE__)
#define GRIDWISE_ROW_SYMBOL_AT(family, line) GRIDWISE_ROW_SYMBOL_OF(family, line)
#define GRIDWISE_ROW_SYMBOL_OF(family, line) gridwise_##family##_##line

namespace gridwise {

/// A sentence for static_assert; null: none.
struct Sentence {
  const char* text;
  constexpr std::size_t size() const { return text == nullptr ? 0 : __builtin_strlen(text); }
  constexpr const char* data() const { return text == nullptr ? "" : text; }
};

}  // namespace gridwise
