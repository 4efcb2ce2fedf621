// SPDX-License-Identifier: MIT
#pragma once

/// Kernels whose work-items do not see each other: plain C++ that the test runs on the host as
/// well. Each computes element i of out[0, n) (or a stretch of it) from in[0, n).

#if defined(__HIP_DEVICE_COMPILE__)
#define GRIDWISE_ITEM __attribute__((device)) inline
#define GRIDWISE_CALL __attribute__((device, noinline)) inline
#else
#define GRIDWISE_ITEM inline
#define GRIDWISE_CALL __attribute__((noinline)) inline
#endif

namespace gridwise::sim::items {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned;
using u64 = unsigned long;
using i64 = long;

template <class To, class From>
GRIDWISE_ITEM To Bits(From from) {
  return __builtin_bit_cast(To, from);
}

/// A float in [-2048, 2048) with a random fraction; a finite double from two words.
GRIDWISE_ITEM float SmallFloat(u32 word) {
  return static_cast<float>(static_cast<int>(word) >> 8) * 0x1p-12f;
}
GRIDWISE_ITEM double SmallDouble(u32 high, u32 low) {
  return (static_cast<double>(static_cast<int>(high)) + static_cast<double>(low) * 0x1p-32) *
         0x1p-20;
}
GRIDWISE_ITEM u32 Mix(u32 hash, u32 word) { return (hash ^ word) * 0x9e3779b1u + (hash >> 15); }
GRIDWISE_ITEM u32 Mix64(u32 hash, u64 word) {
  return Mix(Mix(hash, static_cast<u32>(word)), static_cast<u32>(word >> 32));
}

}  // namespace gridwise::sim::items
