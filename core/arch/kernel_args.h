#pragma once

#include "core/arch/gpu.h"

namespace gridwise {

/// Memory that no kernel writes while this one runs, as 32-bit words: uniform loads from it are
/// scalar loads, where there are such.
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

/// `args`, the arguments of this kernel: of other targets loaded anew, so that they take no
/// registers until then.
template <class T>
GRIDWISE_DEVICE const T& Anew(const T& args) {
  return args;
}

#else

/// `words`, which the compiler takes to be others: what has been loaded of them before is loaded
/// again, and takes no registers until then.
GRIDWISE_DEVICE ConstantWords Anew(ConstantWords words) {
  asm volatile("" : "+s"(words));
  return words;
}

/// The arguments of this kernel, which takes one T, where the dispatch put them.
GRIDWISE_DEVICE ConstantWords KernelArgWords() {
  return (ConstantWords)__builtin_amdgcn_kernarg_segment_ptr();
}
template <class T>
GRIDWISE_DEVICE const T& KernelArgs() {
  return *(const T*)KernelArgWords();
}
/// Brings the first `kBytes` of the arguments to the scalar cache, a line at a time and all
/// together: whatever is loaded of them from then on, here and there, waits for the cache alone.
template <int kBytes>
GRIDWISE_DEVICE void FetchKernelArgs() {
  constexpr int kLineWords = 16, kLines = (kBytes + 63) / 64;
  Vec<int, 16> words;
  static_assert(kLines <= 16);
  for (int i = 0; i < kLines; ++i) words[i] = KernelArgWords()[i * kLineWords];
  asm volatile("" ::"s"(words));
}
template <class T>
GRIDWISE_DEVICE const T& KernelArgsAnew() {
  return *(const T*)Anew(KernelArgWords());
}
template <class T>
GRIDWISE_DEVICE const T& Anew(const T&) {
  return KernelArgsAnew<T>();
}

#endif

}  // namespace gridwise
