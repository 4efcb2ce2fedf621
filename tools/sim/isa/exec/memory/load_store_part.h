// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tools/sim/isa/exec/memory/memory.h"
#include "tools/sim/isa/exec/memory/rows.h"
#include "tools/sim/isa/exec/memory/whole.h"
#include "tools/sim/wave/uop.h"
#include "tools/sim/wave/wave.h"

/// Loads and stores of bytes and shorts, whatever the address space.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

/// Where a value of less than a dword goes in its register.
enum class Place {
  kDword,  // extended to the whole
  // _d16 and _d16_hi, which keep the other half
  kLow,
  kHigh,
  // The same where registers have error correction, and are written as a whole: the other half
  // becomes 0. Source: LLVM GCNSubtarget.h, d16PreservesUnusedBits(), and Tensile's kernels for
  // such targets, which or the halves together.
  kLowAlone,
  kHighAlone,
};

template <typename T, Place kPlace>
struct LoadPart {
  static constexpr Access kAccess = {.bytes = sizeof(T), .reads = true, .writes = false};
  static constexpr int kMaskedFrom = 16;

  static uint32_t Merge(uint32_t old, T value) {
    const uint32_t extended = static_cast<uint32_t>(static_cast<int32_t>(value));
    if constexpr (kPlace == Place::kLow) return (old & 0xffff0000u) | (extended & 0xffffu);
    if constexpr (kPlace == Place::kHigh) return (old & 0xffffu) | extended << 16;
    if constexpr (kPlace == Place::kLowAlone) return extended & 0xffffu;
    if constexpr (kPlace == Place::kHighAlone) return extended << 16;
    return extended;
  }
  static void Lane(Wave& w, const Uop& u, int l, const std::byte* p) {
    uint32_t* row = Row(w, u.dst);
    row[l] = Merge(row[l], LoadAs<T>(p));
  }
  static void Zero(Wave& w, const Uop& u, int l) {
    uint32_t* row = Row(w, u.dst);
    row[l] = Merge(row[l], 0);
  }
  template <int kCount>
  static void All(Wave& w, const Uop& u, const std::byte* base, const uint32_t* offset) {
    uint32_t* row = Row(w, u.dst);
    if (Consecutive<kCount>(offset, sizeof(T))) {
      T values[kCount];
      std::memcpy(values, base + offset[0], sizeof(values));
      for (int l = 0; l < kCount; ++l) row[l] = Merge(row[l], values[l]);
      return;
    }
    for (int l = 0; l < kCount; ++l) row[l] = Merge(row[l], LoadAs<T>(base + offset[l]));
  }
  static void Masked(Wave& w, const Uop& u, const LaneAddresses& at) {
    const uint32_t* old = Row(w, u.dst);
    LoadMasked<1>(Row(w, u.dst), at, [&]<int kCount>(uint32_t* rows, const auto& place) {
      for (int l = 0; l < kCount; ++l) rows[l] = Merge(old[l], LoadAs<T>(place(l)));
    });
  }
};

template <typename T, Place kPlace>
struct StorePart {
  static constexpr Access kAccess = {.bytes = sizeof(T), .reads = false, .writes = true};
  static constexpr int kMaskedFrom = 8;
  static constexpr int kShift = kPlace == Place::kHigh ? 16 : 0;

  static void Lane(Wave& w, const Uop& u, int l, std::byte* p) {
    const T value = static_cast<T>(Row(w, u.src[1])[l] >> kShift);
    std::memcpy(p, &value, sizeof(value));
  }
  static void Zero(Wave&, const Uop&, int) {}
  template <int kCount>
  static void All(Wave& w, const Uop& u, std::byte* base, const uint32_t* offset) {
    const uint32_t* row = Row(w, u.src[1]);
    if (Consecutive<kCount>(offset, sizeof(T))) {
      T values[kCount];
      for (int l = 0; l < kCount; ++l) values[l] = static_cast<T>(row[l] >> kShift);
      std::memcpy(base + offset[0], values, sizeof(values));
      return;
    }
    for (int l = 0; l < kCount; ++l) {
      const T value = static_cast<T>(row[l] >> kShift);
      std::memcpy(base + offset[l], &value, sizeof(value));
    }
  }
  static void Masked(Wave& w, const Uop& u, const LaneAddresses& at) {
    const uint32_t* row = Row(w, u.src[1]);
    T values[kLanes];
    for (int l = 0; l < kLanes; ++l) values[l] = static_cast<T>(row[l] >> kShift);
    if (StoreRun(reinterpret_cast<const std::byte*>(values), sizeof(T), at)) return;
    ForLanes(at.lanes, [&](int l) { std::memcpy(at.base + at.offset[l], &values[l], sizeof(T)); });
  }
};

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
