#pragma once

#include <string>

#include "tile/config.h"

namespace gridwise::tile {

/// The config, printed: its identity in tables, logs and files, e.g.
/// "f16_t256x128x32_w2x2_mma32x32x8_b8x2_o2".
std::string Name(const TileConfig& config);

}  // namespace gridwise::tile
