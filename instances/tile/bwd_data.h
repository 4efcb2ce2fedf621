#pragma once

#include "tile/config.h"

namespace gridwise::tile {

/// Rows of backward-data. One line here is one kernel per target; nothing else changes.
inline constexpr TileConfig kBwdDataRows[] = {
    // large: most work per byte
    {.tile = {256, 128, 32},
     .waves = {2, 2},
     .mma = {32, 32, 8},
     .patch_b = {8, 2},
     .occupancy = 2},
    {.tile = {128, 128, 32},
     .waves = {2, 2},
     .mma = {32, 32, 8},
     .patch_b = {8, 2},
     .occupancy = 3},
    // medium and small: more workgroups, for few rows or few channels
    {.tile = {128, 64, 32}, .waves = {2, 2}, .mma = {32, 32, 8}, .patch_b = {8, 2}, .occupancy = 4},
    {.tile = {64, 64, 32}, .waves = {2, 1}, .mma = {32, 32, 8}, .patch_b = {8, 2}, .occupancy = 4},
    // narrow K: few output channels, whose slabs a deeper tile would pad
    {.tile = {128, 128, 16},
     .waves = {2, 2},
     .mma = {32, 32, 8},
     .patch_b = {4, 2},
     .occupancy = 3},
    // few channels
    {.tile = {64, 16, 32}, .waves = {4, 1}, .mma = {16, 16, 16}, .patch_b = {8, 2}, .occupancy = 4},
};

}  // namespace gridwise::tile
