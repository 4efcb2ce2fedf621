// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tools/sim/wave/wave.h"

/// Values in memory that are read and written by one access of the host's.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

typedef uint32_t Vec4 __attribute__((vector_size(16)));
typedef uint32_t Vec8 __attribute__((vector_size(32)));

template <typename T>
GRIDWISE_SIM_INLINE T LoadAs(const std::byte* p) {
  T value;
  std::memcpy(&value, p, sizeof(value));
  return value;
}

/// A value (uint64_t, Vec4) in one access of the host's, whatever the optimiser thinks of it. Two
/// and four dwords are one access on hardware where the address is aligned, and kernels count on
/// it: a flag is stored together with its value, and another workgroup, on another core here, waits
/// for it without an atomic.
template <typename T>
GRIDWISE_SIM_INLINE T LoadWhole(const std::byte* p) {
  typedef volatile T Whole __attribute__((aligned(1), may_alias));
  return *reinterpret_cast<const Whole*>(p);
}
template <typename T>
GRIDWISE_SIM_INLINE void StoreWhole(std::byte* p, T value) {
  typedef volatile T Whole __attribute__((aligned(1), may_alias));
  *reinterpret_cast<Whole*>(p) = value;
}

/// Copies `bytes` bytes, at most a row, and writes each of them once. memcpy may write some twice,
/// of which the second time would undo what another workgroup, on another core, has made of them
/// in between.
GRIDWISE_SIM_INLINE void StoreOnce(std::byte* to, const std::byte* from, uint32_t bytes) {
  const auto pieces = [&]<typename T>() {
    for (; bytes >= sizeof(T); bytes -= static_cast<uint32_t>(sizeof(T))) {
      StoreWhole(to, LoadAs<T>(from));
      to += sizeof(T);
      from += sizeof(T);
    }
  };
  pieces.template operator()<Vec8>();
  pieces.template operator()<Vec4>();
  pieces.template operator()<uint64_t>();
  pieces.template operator()<uint32_t>();
  pieces.template operator()<uint16_t>();
  pieces.template operator()<uint8_t>();
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
