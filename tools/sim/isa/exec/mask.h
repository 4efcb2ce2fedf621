// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tools/sim/wave/wave.h"

/// Lane masks as rows, and writing rows under a mask.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

/// EXEC of a wave32 with every lane on; the rows of a register are then half used.
inline constexpr uint64_t kLowHalf = 0xffffffff;

/// A row of ~0 in the lanes of `mask` and 0 in the others.
GRIDWISE_SIM_INLINE void ExpandMask(uint64_t mask, uint32_t* row) {
  const uint32_t halves[2] = {static_cast<uint32_t>(mask), static_cast<uint32_t>(mask >> 32)};
  for (int h = 0; h < 2; ++h) {
    for (uint32_t l = 0; l < 32; ++l)
      row[h * 32 + static_cast<int>(l)] = 0u - (halves[h] >> l & 1u);
  }
}

/// Copies `rows` rows where `mask` has a bit.
template <int kRows>
GRIDWISE_SIM_INLINE void Blend(uint32_t* dst, const uint32_t* src, uint64_t mask) {
  alignas(64) uint32_t select[kLanes];
  ExpandMask(mask, select);
  for (int r = 0; r < kRows; ++r) {
    for (int l = 0; l < kLanes; ++l) {
      const int i = r * kLanes + l;
      dst[i] = (dst[i] & ~select[l]) | (src[i] & select[l]);
    }
  }
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
