#include "core/launch/tile_fit.h"

#include <array>
#include <cstddef>
#include <iterator>

namespace gridwise {
namespace {

struct Fits {
  TileFit along_channels, along_cells;
};

// Of rows of the tile and classic families on layers of RetinaNet, N = 32, f16.
constexpr Fits kOf942 = {.along_channels = {.missed = 0.1,
                                            .barrier = 780,
                                            .first_reads = 33.3,
                                            .swapped = 0.0125,
                                            .output = 0.453,
                                            .launch = 4140,
                                            .ahead = 1200,
                                            .issue = 1.5},
                         .along_cells = {.missed = 0.087,
                                         .barrier = 151,
                                         .first_reads = 68.6,
                                         .swapped = 0.102,
                                         .output = 0.257,
                                         .launch = 3900,
                                         .ahead = 1200,
                                         .issue = 1.5}};

constexpr Fits kOf950 = {.along_channels = {.missed = 0.221,
                                            .barrier = 522,
                                            .first_reads = 449,
                                            .swapped = 0.0832,
                                            .output = 0.77,
                                            .launch = 4140,
                                            .ahead = 1200,
                                            .issue = 1.5},
                         .along_cells = {.missed = 0.1,
                                         .barrier = 1060,
                                         .first_reads = 196,
                                         .swapped = 0.0108,
                                         .output = 1.77,
                                         .launch = 4800,
                                         .ahead = 1200,
                                         .issue = 1.5}};

// Of gfx942, by the clock as it was before it had two frequencies in one launch.
constexpr TileFit kUnfitted = {.missed = 0.3,
                               .barrier = 600,
                               .first_reads = 160,
                               .swapped = 0.052,
                               .output = 0.77,
                               .launch = 1000,
                               .ahead = 1200,
                               .issue = 1.5};
constexpr Fits kOfOthers = {kUnfitted, kUnfitted};

}  // namespace

TileFit& MutableTileFit(Gfx gfx, bool along_cells) {
  // By Gfx; the others than gfx942 and gfx950 have not been fitted.
  static std::array<Fits, std::size(kAllGfx)> fits = {kOf942, kOf950, kOfOthers, kOfOthers,
                                                      kOfOthers};
  Fits& of_target = fits[static_cast<std::size_t>(gfx)];
  return along_cells ? of_target.along_cells : of_target.along_channels;
}

const TileFit& TileFitOf(Gfx gfx, bool along_cells) { return MutableTileFit(gfx, along_cells); }

}  // namespace gridwise
