#include "tile/config_name.h"

#include "absl/strings/str_format.h"

namespace gridwise::tile {

std::string Name(const TileConfig& c) {
  return absl::StrFormat("%s_t%dx%dx%d_w%dx%d_mma%dx%dx%d_b%dx%d_o%d", gridwise::Name(c.type),
                         c.tile.m, c.tile.n, c.tile.k, c.waves.m, c.waves.n, c.mma.m, c.mma.n,
                         c.mma.k, c.patch_b.k, c.patch_b.n, c.occupancy);
}

}  // namespace gridwise::tile
