// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tools/sim/isa/exec/memory/memory.h"
#include "tools/sim/isa/exec/memory/whole.h"
#include "tools/sim/wave/wave.h"

/// Rows of registers from and to the addresses of their lanes.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

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

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
