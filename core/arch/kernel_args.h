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
/// Loads the first `kBytes` of the arguments into the scalar cache, line by line and all at once.
/// Later loads from them, anywhere, wait only for the cache.
template <int kBytes>
GRIDWISE_DEVICE void FetchKernelArgs() {
  constexpr int kLineWords = 16, kLines = (kBytes + 63) / 64;
  Vec<int, 16> words;
  static_assert(kLines <= 16);
  for (int i = 0; i < kLines; ++i) words[i] = KernelArgWords()[i * kLineWords];
  asm volatile("" ::"s"(words));
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
