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

/// The same, and at the same time loads a T of 64 bytes at `at_t`, and a U of at most 112 at
/// `at_u`, into registers. The compiler would load their members where they are used, and wait
/// there.
template <int kBytes, class T, class U>
GRIDWISE_DEVICE void FetchKernelArgs(ConstantWords at_t, T& t, ConstantWords at_u, U& u) {
  static_assert(sizeof(T) == 64 && sizeof(U) <= 112);
  const auto words = KernelArgLines<kBytes>();
  auto of_t = LoadConstant<Vec<int, 16>>(at_t), u0 = LoadConstant<Vec<int, 16>>(at_u);
  auto u1 = LoadConstant<Vec<int, 8>>(at_u + 16);
  auto u2 = LoadConstant<Vec<int, 4>>(at_u + 24);
  asm volatile("" : "+s"(of_t), "+s"(u0), "+s"(u1), "+s"(u2) : "s"(words));
  t = __builtin_bit_cast(T, of_t);
  struct Words {
    int word[sizeof(U) / 4];
  } of_u;
  for (unsigned i = 0; i < sizeof(U) / 4; ++i) {
    of_u.word[i] = i < 16 ? u0[i] : i < 24 ? u1[i - 16] : u2[i - 24];
  }
  u = __builtin_bit_cast(U, of_u);
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
