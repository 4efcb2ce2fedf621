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

/// Loads and stores of dwords, whatever the address space. See exec/memory/memory.h for how an
/// operation is applied.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

template <int kDwords>
struct Load {
  static constexpr Access kAccess = {.bytes = 4 * kDwords, .reads = true, .writes = false};
  static constexpr int kMaskedFrom = 16;

  static void Lane(Wave& w, const Uop& u, int l, const std::byte* p) {
    LoadLane<kDwords>(Row(w, u.dst) + l, p);
  }
  static void Zero(Wave& w, const Uop& u, int l) { Partial(w, u, l, nullptr, 0); }
  /// `count` dwords are in range; the others are 0.
  static void Partial(Wave& w, const Uop& u, int l, const std::byte* p, uint32_t count) {
    uint32_t* row = Row(w, u.dst) + l;
    for (uint32_t d = 0; d < kDwords; ++d)
      row[d * kLanes] = d < count ? LoadAs<uint32_t>(p + 4 * d) : 0;
  }
  template <int kCount>
  static void All(Wave& w, const Uop& u, const std::byte* base, const uint32_t* offset) {
    if (kDwords == 1 && Consecutive<kCount>(offset, 4)) {
      std::memcpy(Row(w, u.dst), base + offset[0], kCount * 4);
      return;
    }
    LoadRows<kDwords, kCount>(Row(w, u.dst), [&](int l) { return base + offset[l]; });
  }
  static void Masked(Wave& w, const Uop& u, const LaneAddresses& at) {
    LoadMasked<kDwords>(Row(w, u.dst), at, []<int kCount>(uint32_t* rows, const auto& place) {
      LoadRows<kDwords, kCount>(rows, place);
    });
  }
  /// All lanes load from the same aligned scratch address.
  static void ScratchRow(Wave& w, const Uop& u, const std::byte* p) {
    std::memcpy(Row(w, u.dst), p, kDwords * kRowBytes);
  }
};

template <int kDwords>
struct Store {
  static constexpr Access kAccess = {.bytes = 4 * kDwords, .reads = false, .writes = true};
  static constexpr int kMaskedFrom = 8;

  static void Lane(Wave& w, const Uop& u, int l, std::byte* p) {
    StoreLane<kDwords>(Row(w, u.src[1]) + l, p);
  }
  static void Zero(Wave&, const Uop&, int) {}
  static void Partial(Wave& w, const Uop& u, int l, std::byte* p, uint32_t count) {
    const uint32_t* row = Row(w, u.src[1]) + l;
    for (uint32_t d = 0; d < kDwords && d < count; ++d) std::memcpy(p + 4 * d, row + d * kLanes, 4);
  }
  template <int kCount>
  static void All(Wave& w, const Uop& u, std::byte* base, const uint32_t* offset) {
    if (kDwords == 1 && Consecutive<kCount>(offset, 4)) {
      std::memcpy(base + offset[0], Row(w, u.src[1]), kCount * 4);
      return;
    }
    StoreRows<kDwords, kCount>(Row(w, u.src[1]), [&](int l) { return base + offset[l]; });
  }
  /// Each lane's dwords are brought together first: one copy per lane is left.
  static void Masked(Wave& w, const Uop& u, const LaneAddresses& at) {
    if constexpr (kDwords == 1) {
      if (!StoreRun(reinterpret_cast<const std::byte*>(Row(w, u.src[1])), 4, at))
        ForLanes(at.lanes, [&](int l) { Lane(w, u, l, at.base + at.offset[l]); });
    } else {
      constexpr size_t kBytes = 4 * kDwords;
      alignas(64) std::byte values[kBytes * kLanes];
      StoreRows<kDwords, kLanes>(Row(w, u.src[1]), [&](int l) { return values + kBytes * l; });
      ForLanes(at.lanes, [&](int l) {
        std::byte* const to = at.base + at.offset[l];
        const std::byte* const from = values + kBytes * l;
        if constexpr (kDwords == 2) {
          StoreWhole(to, LoadAs<uint64_t>(from));
        } else if constexpr (kDwords == 4) {
          StoreWhole(to, LoadAs<Vec4>(from));
        } else {
          std::memcpy(to, from, kBytes);
        }
      });
    }
  }
  static void ScratchRow(Wave& w, const Uop& u, std::byte* p) {
    const bool half = w.all_lanes == kLowHalf;
    for (int d = 0; d < kDwords; ++d) {
      std::memcpy(p + d * kRowBytes, Row(w, u.src[1]) + d * kLanes,
                  half ? kRowBytes / 2 : kRowBytes);
    }
  }
};

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
