#include "core/launch/tile_fit.h"

#include <array>
#include <cstddef>
#include <iterator>

namespace gridwise {
namespace {

// Of rows of the tile family on layers of RetinaNet, N = 32, f16.
constexpr TileFit kOf942 = {.missed = 0.3,
                            .barrier = 600,
                            .first_reads = 160,
                            .swapped = 0.052,
                            .output = 0.77,
                            .launch = 1000};

}  // namespace

TileFit& MutableTileFit(Gfx gfx) {
  // By Gfx; the others than gfx942 have not been fitted.
  static std::array<TileFit, std::size(kAllGfx)> fits = {kOf942, kOf942, kOf942, kOf942, kOf942};
  return fits[static_cast<std::size_t>(gfx)];
}

const TileFit& TileFitOf(Gfx gfx) { return MutableTileFit(gfx); }

}  // namespace gridwise
