// SPDX-License-Identifier: MIT
// Proves that reads of pixels have no bank conflicts. In this file, so that it is proved once and
// not in each file that includes the header.

#include "tile/lds_pixels.h"

#include "core/layout/lds_tile.h"

namespace gridwise::tile {
namespace {

/// For lanes that read a vector each of adjacent pixels, or of 4 pixels a vector of each of
/// `groups` groups, and then of further pixels.
constexpr bool ReadsOnce(int vectors_per_pixel, int groups) {
  const LdsPixels lds = {.pixels = 64,
                         .data_bytes = vectors_per_pixel * LdsTile::kVectorBytes,
                         .room_bytes = groups == 1 ? 16 : 32};
  const auto offset_of_lane = [&](int lane) {
    if (groups == 1) return lds.Offset(lane % 32, lane / 32);
    return lds.Offset(lane / 4 / groups * 4 + lane % 4, lane / 4 % groups);
  };
  return WorstBankConflict(kReadPhasesB128, offset_of_lane) == 1;
}
static_assert(ReadsOnce(4, 1) && ReadsOnce(8, 1) && ReadsOnce(4, 4) && ReadsOnce(8, 8),
              "reads of pixels touch each of 32 banks once");

/// For lanes that read half a vector of adjacent pixels, 16 consecutive ones per phase. Source:
/// measured on gfx942, see kReadPhasesB128.
constexpr bool HalvesAreReadOnce(int vectors_per_pixel) {
  const LdsPixels lds = {
      .pixels = 16, .data_bytes = vectors_per_pixel * LdsTile::kVectorBytes, .room_bytes = 8};
  bool touched[16] = {};  // pairs of banks
  for (int pixel = 0; pixel < 16; ++pixel) {
    bool& pair = touched[lds.Offset(pixel, 0) / 8 % 16];
    if (pair) return false;
    pair = true;
  }
  return true;
}
static_assert(HalvesAreReadOnce(4) && HalvesAreReadOnce(8),
              "reads of half a vector touch each of 32 banks once");

}  // namespace

}  // namespace gridwise::tile
