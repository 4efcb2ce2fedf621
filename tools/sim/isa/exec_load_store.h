#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tools/sim/isa/exec_memory.h"
#include "tools/sim/isa/uop.h"
#include "tools/sim/machine/wave.h"

/// Loads and stores, whatever the address space. See exec_memory.h for how an operation is applied.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

typedef uint32_t Vec4 __attribute__((vector_size(16)));
typedef uint32_t Vec8 __attribute__((vector_size(32)));

/// Whether lane l's offset is `bytes` * l past lane 0's: the lanes touch one piece of memory.
GRIDWISE_SIM_INLINE bool Consecutive(const uint32_t* offset, uint32_t bytes) {
  uint32_t difference = 0;
  for (uint32_t l = 0; l < kLanes; ++l) difference |= offset[l] - (offset[0] + l * bytes);
  return difference == 0;
}

template <typename T>
GRIDWISE_SIM_INLINE T LoadAs(const std::byte* p) {
  T value;
  std::memcpy(&value, p, sizeof(value));
  return value;
}

/// The 16 bytes at `a` and those at `b` as one vector.
GRIDWISE_SIM_INLINE Vec8 LoadPair(const std::byte* a, const std::byte* b) {
  return __builtin_shufflevector(LoadAs<Vec4>(a), LoadAs<Vec4>(b), 0, 1, 2, 3, 4, 5, 6, 7);
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

/// Loads kDwords dwords per lane into rows dst...; lane l reads at(l).
template <int kDwords, typename At>
GRIDWISE_SIM_INLINE void LoadRows(uint32_t* row, const At& at) {
  if constexpr (kDwords == 4) {
    for (int l = 0; l < kLanes; l += 8) {
      const Columns t = Transpose(LoadPair(at(l), at(l + 4)), LoadPair(at(l + 1), at(l + 5)),
                                  LoadPair(at(l + 2), at(l + 6)), LoadPair(at(l + 3), at(l + 7)));
      for (int d = 0; d < 4; ++d) std::memcpy(row + d * kLanes + l, &t.c[d], sizeof(Vec8));
    }
  } else if constexpr (kDwords == 2) {
    for (int l = 0; l < kLanes; l += 4) {
      typedef uint64_t Vec2x64 __attribute__((vector_size(16)));
      const Vec2x64 ab = {LoadAs<uint64_t>(at(l)), LoadAs<uint64_t>(at(l + 1))};
      const Vec2x64 cd = {LoadAs<uint64_t>(at(l + 2)), LoadAs<uint64_t>(at(l + 3))};
      const Vec4 low = __builtin_shufflevector((Vec4)ab, (Vec4)cd, 0, 2, 4, 6);
      const Vec4 high = __builtin_shufflevector((Vec4)ab, (Vec4)cd, 1, 3, 5, 7);
      std::memcpy(row + l, &low, sizeof(low));
      std::memcpy(row + kLanes + l, &high, sizeof(high));
    }
  } else {
    for (int l = 0; l < kLanes; ++l) {
      uint32_t value[kDwords];
      std::memcpy(value, at(l), sizeof(value));
      for (int d = 0; d < kDwords; ++d) row[d * kLanes + l] = value[d];
    }
  }
}

/// Stores kDwords dwords per lane from rows src...; lane l writes at(l).
template <int kDwords, typename At>
GRIDWISE_SIM_INLINE void StoreRows(const uint32_t* row, const At& at) {
  if constexpr (kDwords == 4) {
    for (int l = 0; l < kLanes; l += 8) {
      const auto* bytes = reinterpret_cast<const std::byte*>(row + l);
      const Columns t =
          Transpose(LoadAs<Vec8>(bytes), LoadAs<Vec8>(bytes + kRowBytes),
                    LoadAs<Vec8>(bytes + 2 * kRowBytes), LoadAs<Vec8>(bytes + 3 * kRowBytes));
      for (int i = 0; i < 4; ++i) {
        std::memcpy(at(l + i), &t.c[i], 16);
      }
      for (int i = 0; i < 4; ++i) {
        const Vec4 high = __builtin_shufflevector(t.c[i], t.c[i], 4, 5, 6, 7);
        std::memcpy(at(l + 4 + i), &high, 16);
      }
    }
  } else {
    for (int l = 0; l < kLanes; ++l) {
      uint32_t value[kDwords];
      for (int d = 0; d < kDwords; ++d) value[d] = row[d * kLanes + l];
      std::memcpy(at(l), value, sizeof(value));
    }
  }
}

/// Bytes for lanes that are out of a buffer's range.
alignas(16) inline constexpr std::byte kZeros[16] = {};

template <int kDwords>
struct Load {
  static constexpr Access kAccess = {.bytes = 4 * kDwords, .reads = true, .writes = false};

  static void Lane(Wave& w, const Uop& u, int l, const std::byte* p) {
    Partial(w, u, l, p, kDwords);
  }
  static void Zero(Wave& w, const Uop& u, int l) { Partial(w, u, l, nullptr, 0); }
  /// `count` dwords are in range; the others are 0.
  static void Partial(Wave& w, const Uop& u, int l, const std::byte* p, uint32_t count) {
    uint32_t* row = Row(w, u.dst) + l;
    for (uint32_t d = 0; d < kDwords; ++d)
      row[d * kLanes] = d < count ? LoadAs<uint32_t>(p + 4 * d) : 0;
  }
  static void All(Wave& w, const Uop& u, const std::byte* base, const uint32_t* offset) {
    if (kDwords == 1 && Consecutive(offset, 4)) {
      std::memcpy(Row(w, u.dst), base + offset[0], kRowBytes);
      return;
    }
    LoadRows<kDwords>(Row(w, u.dst), [&](int l) { return base + offset[l]; });
  }
  static void AllOrZero(Wave& w, const Uop& u, const std::byte* base, const uint32_t* offset,
                        uint64_t lanes) {
    LoadRows<kDwords>(Row(w, u.dst),
                      [&](int l) { return lanes >> l & 1 ? base + offset[l] : kZeros; });
  }
  /// All lanes load from the same aligned scratch address.
  static void ScratchRow(Wave& w, const Uop& u, const std::byte* p) {
    std::memcpy(Row(w, u.dst), p, kDwords * kRowBytes);
  }
};

template <int kDwords>
struct Store {
  static constexpr Access kAccess = {.bytes = 4 * kDwords, .reads = false, .writes = true};

  static void Lane(Wave& w, const Uop& u, int l, std::byte* p) { Partial(w, u, l, p, kDwords); }
  static void Zero(Wave&, const Uop&, int) {}
  static void Partial(Wave& w, const Uop& u, int l, std::byte* p, uint32_t count) {
    const uint32_t* row = Row(w, u.src[1]) + l;
    for (uint32_t d = 0; d < kDwords && d < count; ++d) std::memcpy(p + 4 * d, row + d * kLanes, 4);
  }
  static void All(Wave& w, const Uop& u, std::byte* base, const uint32_t* offset) {
    if (kDwords == 1 && Consecutive(offset, 4)) {
      std::memcpy(base + offset[0], Row(w, u.src[1]), kRowBytes);
      return;
    }
    StoreRows<kDwords>(Row(w, u.src[1]), [&](int l) { return base + offset[l]; });
  }
  static void ScratchRow(Wave& w, const Uop& u, std::byte* p) {
    std::memcpy(p, Row(w, u.src[1]), kDwords * kRowBytes);
  }
};

/// Where a value of less than a dword goes in its register.
enum class Place {
  kDword,
  kLow,
  kHigh
};  // extended to the whole; _d16; _d16_hi, which keep the other half

template <typename T, Place kPlace>
struct LoadPart {
  static constexpr Access kAccess = {.bytes = sizeof(T), .reads = true, .writes = false};

  static uint32_t Merge(uint32_t old, T value) {
    const uint32_t extended = static_cast<uint32_t>(static_cast<int32_t>(value));
    if constexpr (kPlace == Place::kLow) return (old & 0xffff0000u) | (extended & 0xffffu);
    if constexpr (kPlace == Place::kHigh) return (old & 0xffffu) | extended << 16;
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
  static void All(Wave& w, const Uop& u, const std::byte* base, const uint32_t* offset) {
    uint32_t* row = Row(w, u.dst);
    if (Consecutive(offset, sizeof(T))) {
      T values[kLanes];
      std::memcpy(values, base + offset[0], sizeof(values));
      for (int l = 0; l < kLanes; ++l) row[l] = Merge(row[l], values[l]);
      return;
    }
    for (int l = 0; l < kLanes; ++l) row[l] = Merge(row[l], LoadAs<T>(base + offset[l]));
  }
  static void AllOrZero(Wave& w, const Uop& u, const std::byte* base, const uint32_t* offset,
                        uint64_t lanes) {
    uint32_t* row = Row(w, u.dst);
    for (int l = 0; l < kLanes; ++l)
      row[l] = Merge(row[l], LoadAs<T>(lanes >> l & 1 ? base + offset[l] : kZeros));
  }
};

template <typename T, Place kPlace>
struct StorePart {
  static constexpr Access kAccess = {.bytes = sizeof(T), .reads = false, .writes = true};
  static constexpr int kShift = kPlace == Place::kHigh ? 16 : 0;

  static void Lane(Wave& w, const Uop& u, int l, std::byte* p) {
    const T value = static_cast<T>(Row(w, u.src[1])[l] >> kShift);
    std::memcpy(p, &value, sizeof(value));
  }
  static void Zero(Wave&, const Uop&, int) {}
  static void All(Wave& w, const Uop& u, std::byte* base, const uint32_t* offset) {
    const uint32_t* row = Row(w, u.src[1]);
    if (Consecutive(offset, sizeof(T))) {
      T values[kLanes];
      for (int l = 0; l < kLanes; ++l) values[l] = static_cast<T>(row[l] >> kShift);
      std::memcpy(base + offset[0], values, sizeof(values));
      return;
    }
    for (int l = 0; l < kLanes; ++l) {
      const T value = static_cast<T>(row[l] >> kShift);
      std::memcpy(base + offset[l], &value, sizeof(value));
    }
  }
};

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
