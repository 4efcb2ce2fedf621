// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tools/sim/isa/exec/memory/memory.h"
#include "tools/sim/wave/uop.h"
#include "tools/sim/wave/wave.h"

/// Loads and stores, whatever the address space. See exec/memory/memory.h for how an operation is
/// applied.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

typedef uint32_t Vec4 __attribute__((vector_size(16)));
typedef uint32_t Vec8 __attribute__((vector_size(32)));

/// Whether lane l's offset is `bytes` * l past lane 0's: the lanes touch one piece of memory.
template <int kCount>
GRIDWISE_SIM_INLINE bool Consecutive(const uint32_t* offset, uint32_t bytes) {
  uint32_t difference = 0;
  for (uint32_t l = 0; l < kCount; ++l) difference |= offset[l] - (offset[0] + l * bytes);
  return difference == 0;
}

/// The same of the lanes in `mask`, which then access a part of one piece of memory. `first` is the
/// first of them.
GRIDWISE_SIM_INLINE bool Consecutive(const uint32_t* offset, uint32_t bytes, uint64_t mask,
                                     uint32_t first) {
  alignas(64) uint32_t on[kLanes];
  ExpandMask(mask, on);
  const uint32_t start = offset[first] - first * bytes;
  uint32_t difference = 0;
  for (uint32_t l = 0; l < kLanes; ++l) difference |= (offset[l] - (start + l * bytes)) & on[l];
  return difference == 0;
}

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

/// One lane's dwords, from memory to row[0], row[kLanes], ... and back.
template <int kDwords>
GRIDWISE_SIM_INLINE void LoadLane(uint32_t* row, const std::byte* p) {
  if constexpr (kDwords == 2) {
    const auto whole = LoadWhole<uint64_t>(p);
    row[0] = static_cast<uint32_t>(whole);
    row[kLanes] = static_cast<uint32_t>(whole >> 32);
  } else if constexpr (kDwords == 4) {
    const auto whole = LoadWhole<Vec4>(p);
    for (int d = 0; d < 4; ++d) row[d * kLanes] = whole[d];
  } else {
    for (int d = 0; d < kDwords; ++d) row[d * kLanes] = LoadAs<uint32_t>(p + 4 * d);
  }
}
template <int kDwords>
GRIDWISE_SIM_INLINE void StoreLane(const uint32_t* row, std::byte* p) {
  if constexpr (kDwords == 2) {
    StoreWhole(p, row[0] | uint64_t{row[kLanes]} << 32);
  } else if constexpr (kDwords == 4) {
    StoreWhole(p, Vec4{row[0], row[kLanes], row[2 * kLanes], row[3 * kLanes]});
  } else {
    for (int d = 0; d < kDwords; ++d) std::memcpy(p + 4 * d, row + d * kLanes, 4);
  }
}

/// The 16 bytes at `a` and those at `b` as one vector.
GRIDWISE_SIM_INLINE Vec8 LoadPair(const std::byte* a, const std::byte* b) {
  return __builtin_shufflevector(LoadWhole<Vec4>(a), LoadWhole<Vec4>(b), 0, 1, 2, 3, 4, 5, 6, 7);
}

/// Transposes the 4x4 dwords in the low halves and those in the high halves: row i of the result is
/// column i.
struct Columns {
  Vec8 c[4];
};
GRIDWISE_SIM_INLINE Columns Transpose(Vec8 a, Vec8 b, Vec8 c, Vec8 d) {
  const Vec8 ab_low = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
  const Vec8 ab_high = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
  const Vec8 cd_low = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
  const Vec8 cd_high = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
  return {{__builtin_shufflevector(ab_low, cd_low, 0, 1, 8, 9, 4, 5, 12, 13),
           __builtin_shufflevector(ab_low, cd_low, 2, 3, 10, 11, 6, 7, 14, 15),
           __builtin_shufflevector(ab_high, cd_high, 0, 1, 8, 9, 4, 5, 12, 13),
           __builtin_shufflevector(ab_high, cd_high, 2, 3, 10, 11, 6, 7, 14, 15)}};
}

typedef uint64_t Vec2x64 __attribute__((vector_size(16)));

/// Loads kDwords dwords per lane into rows of kCount lanes; lane l reads at(l). Here too 2 and 4
/// dwords are one access.
template <int kDwords, int kCount, typename At>
GRIDWISE_SIM_INLINE void LoadRows(uint32_t* row, const At& at) {
  if constexpr (kDwords == 4) {
    for (int l = 0; l < kCount; l += 8) {
      const Columns t = Transpose(LoadPair(at(l), at(l + 4)), LoadPair(at(l + 1), at(l + 5)),
                                  LoadPair(at(l + 2), at(l + 6)), LoadPair(at(l + 3), at(l + 7)));
      for (int d = 0; d < 4; ++d) std::memcpy(row + d * kLanes + l, &t.c[d], sizeof(Vec8));
    }
  } else if constexpr (kDwords == 2) {
    for (int l = 0; l < kCount; l += 4) {
      const Vec2x64 ab = {LoadWhole<uint64_t>(at(l)), LoadWhole<uint64_t>(at(l + 1))};
      const Vec2x64 cd = {LoadWhole<uint64_t>(at(l + 2)), LoadWhole<uint64_t>(at(l + 3))};
      const Vec4 low = __builtin_shufflevector((Vec4)ab, (Vec4)cd, 0, 2, 4, 6);
      const Vec4 high = __builtin_shufflevector((Vec4)ab, (Vec4)cd, 1, 3, 5, 7);
      std::memcpy(row + l, &low, sizeof(low));
      std::memcpy(row + kLanes + l, &high, sizeof(high));
    }
  } else {
    for (int l = 0; l < kCount; ++l) {
      uint32_t value[kDwords];
      std::memcpy(value, at(l), sizeof(value));
      for (int d = 0; d < kDwords; ++d) row[d * kLanes + l] = value[d];
    }
  }
}

/// Stores kDwords dwords per lane from rows of kCount lanes; lane l writes at(l). The same.
template <int kDwords, int kCount, typename At>
GRIDWISE_SIM_INLINE void StoreRows(const uint32_t* row, const At& at) {
  if constexpr (kDwords == 4) {
    for (int l = 0; l < kCount; l += 8) {
      const auto* bytes = reinterpret_cast<const std::byte*>(row + l);
      const Columns t =
          Transpose(LoadAs<Vec8>(bytes), LoadAs<Vec8>(bytes + kRowBytes),
                    LoadAs<Vec8>(bytes + 2 * kRowBytes), LoadAs<Vec8>(bytes + 3 * kRowBytes));
      for (int i = 0; i < 4; ++i) {
        StoreWhole<Vec4>(at(l + i), __builtin_shufflevector(t.c[i], t.c[i], 0, 1, 2, 3));
      }
      for (int i = 0; i < 4; ++i) {
        StoreWhole<Vec4>(at(l + 4 + i), __builtin_shufflevector(t.c[i], t.c[i], 4, 5, 6, 7));
      }
    }
  } else if constexpr (kDwords == 2) {
    for (int l = 0; l < kCount; l += 4) {
      const auto* bytes = reinterpret_cast<const std::byte*>(row + l);
      const Vec4 low = LoadAs<Vec4>(bytes), high = LoadAs<Vec4>(bytes + kRowBytes);
      const auto ab = (Vec2x64)__builtin_shufflevector(low, high, 0, 4, 1, 5);
      const auto cd = (Vec2x64)__builtin_shufflevector(low, high, 2, 6, 3, 7);
      const uint64_t lanes[4] = {ab[0], ab[1], cd[0], cd[1]};
      for (int i = 0; i < 4; ++i) StoreWhole(at(l + i), lanes[i]);
    }
  } else {
    for (int l = 0; l < kCount; ++l) {
      uint32_t value[kDwords];
      for (int d = 0; d < kDwords; ++d) value[d] = row[d * kLanes + l];
      std::memcpy(at(l), value, sizeof(value));
    }
  }
}

/// Bytes for lanes that are out of a buffer's range or off.
alignas(16) inline constexpr std::byte kZeros[16] = {};

/// Rows that are loaded under a mask: `gather<kCount>(rows, at)` loads every lane from at(l), and
/// those of at.lanes and at.zeroed (0) are written to `dst`.
template <int kRows, typename Gather>
GRIDWISE_SIM_INLINE void LoadMasked(uint32_t* dst, const LaneAddresses& at, const Gather& gather) {
  const uint64_t lanes = at.lanes;
  const auto place = [&](int l) { return lanes >> l & 1 ? at.base + at.offset[l] : kZeros; };
  const uint64_t touched = lanes | at.zeroed;
  if (touched == ~uint64_t{0}) return gather.template operator()<kLanes>(dst, place);
  alignas(64) uint32_t rows[kRows * kLanes];
  if (touched <= kLowHalf) {
    gather.template operator()<kLanes / 2>(rows, place);
  } else {
    gather.template operator()<kLanes>(rows, place);
  }
  Blend<kRows>(dst, rows, touched);
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

/// Stores the lanes' values, `bytes` bytes each, by one copy if the lanes in at.lanes are
/// neighbours and so are their addresses; else false.
GRIDWISE_SIM_INLINE bool StoreRun(const std::byte* values, uint32_t bytes,
                                  const LaneAddresses& at) {
  if (at.lanes == 0) return true;
  const auto first = static_cast<uint32_t>(__builtin_ctzll(at.lanes));
  const uint32_t count = 64 - static_cast<uint32_t>(__builtin_clzll(at.lanes)) - first;
  if (static_cast<uint32_t>(__builtin_popcountll(at.lanes)) != count) return false;
  if (!Consecutive(at.offset, bytes, at.lanes, first)) return false;
  StoreOnce(at.base + at.offset[first], values + first * bytes, count * bytes);
  return true;
}

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
