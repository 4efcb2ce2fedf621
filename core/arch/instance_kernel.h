// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "core/arch/gpu.h"

/// Shared by the sources of kernel tables.

// Their assertions print a rule's own sentence.
#pragma clang diagnostic ignored "-Wc++26-extensions"

/// The symbol of an instance's kernel, from GRIDWISE_INSTANCE_HASH (tools/build/defs.bzl). It is
/// explicit, so host code knows it (core/launch/instance_symbol.h), and it stays the same as long
/// as the instance does.
#define GRIDWISE_INSTANCE_SYMBOL(family) GRIDWISE_INSTANCE_SYMBOL_AT(family, GRIDWISE_INSTANCE_HASH)
#define GRIDWISE_INSTANCE_SYMBOL_AT(family, hash) GRIDWISE_INSTANCE_SYMBOL_OF(family, hash)
#define GRIDWISE_INSTANCE_SYMBOL_OF(family, hash) gridwise_##family##_##hash

namespace gridwise {

/// A sentence for static_assert, or null.
struct Sentence {
  const char* text;
  constexpr std::size_t size() const { return text == nullptr ? 0 : __builtin_strlen(text); }
  constexpr const char* data() const { return text == nullptr ? "" : text; }
};

}  // namespace gridwise
