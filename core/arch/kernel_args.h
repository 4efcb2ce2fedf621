// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"

namespace gridwise {

/// Memory that no kernel writes while this one runs, as 32-bit words: uniform loads from it are
/// scalar loads, on targets that have these.
#if defined(__NVPTX__)
using ConstantWords = const int*;
#else
using ConstantWords = const __attribute__((address_space(4))) int*;
#endif

template <class T>
GRIDWISE_DEVICE T LoadConstant(ConstantWords words) {
  struct Words {
    int word[sizeof(T) / 4];
  } copy;
  for (unsigned i = 0; i < sizeof(T) / 4; ++i) copy.word[i] = words[i];
  return __builtin_bit_cast(T, copy);
}

#if defined(__NVPTX__)

/// Returns `args`, the arguments of this kernel. On other targets they are loaded again, so they
/// take no registers until then.
template <class T>
GRIDWISE_DEVICE const T& Reloaded(const T& args) {
  return args;
}

#else

/// Returns `words` as if they were others: words loaded before are loaded again, and take no
/// registers until then.
GRIDWISE_DEVICE ConstantWords Reloaded(ConstantWords words) {
  asm volatile("" : "+s"(words));
  return words;
}

/// The address of this kernel's arguments, a single T, where the dispatch put them.
GRIDWISE_DEVICE ConstantWords KernelArgWords() {
  return (ConstantWords)__builtin_amdgcn_kernarg_segment_ptr();
}
template <class T>
GRIDWISE_DEVICE const T& KernelArgs() {
  return *(const T*)KernelArgWords();
}
/// The first words of the lines of the first `kBytes` of the arguments.
template <int kBytes>
GRIDWISE_DEVICE Vec<int, 16> KernelArgLines() {
  constexpr int kLineWords = 16, kLines = (kBytes + 63) / 64;
  Vec<int, 16> words;
  static_assert(kLines <= 16);
  for (int i = 0; i < kLines; ++i) words[i] = KernelArgWords()[i * kLineWords];
  return words;
}
/// Loads the first `kBytes` of the arguments into the scalar cache, line by line and all at once.
/// Later loads from them, anywhere, wait only for the cache.
template <int kBytes>
GRIDWISE_DEVICE void FetchKernelArgs() {
  const auto words = KernelArgLines<kBytes>();
  asm volatile("" ::"s"(words));
}

/// A T of 27 words in uniform registers. The compiler would load its members where they are used,
/// and wait there.
template <class T>
struct InRegisters {
  static_assert(sizeof(T) == 27 * 4);
  Vec<int, 16> first;
  Vec<int, 8> second;
  Vec<int, 2> third;
  int last;

  GRIDWISE_DEVICE static InRegisters Load(ConstantWords at) {
    return {.first = LoadConstant<Vec<int, 16> >(at),
            .second = LoadConstant<Vec<int, 8> >(at + 16),
            .third = LoadConstant<Vec<int, 2> >(at + 24),
            .last = at[26]};
  }
  GRIDWISE_DEVICE T Get() {
    asm volatile("" : "+s"(first), "+s"(second), "+s"(third), "+s"(last));
    struct {
      int word[27];
    } words;
    for (int i = 0; i < 27; ++i) {
      words.word[i] = i < 16 ? first[i] : i < 24 ? second[i - 16] : i < 26 ? third[i - 24] : last;
    }
    return __builtin_bit_cast(T, words);
  }
};

/// FetchKernelArgs, and waits at the same time for a T of 64 bytes, which it loads from `at`, and
/// for `more`.
template <int kBytes, class T, class More>
GRIDWISE_DEVICE T FetchKernelArgs(ConstantWords at, InRegisters<More>& more) {
  static_assert(sizeof(T) == 64);
  const auto words = KernelArgLines<kBytes>();
  auto t = LoadConstant<Vec<int, 16> >(at);
  asm volatile(""
               : "+s"(t), "+s"(more.first), "+s"(more.second), "+s"(more.third), "+s"(more.last)
               : "s"(words));
  return __builtin_bit_cast(T, t);
}
template <class T>
GRIDWISE_DEVICE const T& ReloadedKernelArgs() {
  return *(const T*)Reloaded(KernelArgWords());
}
template <class T>
GRIDWISE_DEVICE const T& Reloaded(const T&) {
  return ReloadedKernelArgs<T>();
}

#endif

}  // namespace gridwise
