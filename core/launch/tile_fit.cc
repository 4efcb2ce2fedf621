#include "core/launch/tile_fit.h"

#include <array>
#include <cstddef>
#include <iterator>

namespace gridwise {
namespace {

struct Fits {
  TileFit along_channels, along_cells;
};

// Of rows of the tile and classic families on training problems (tools/tune), f16.
constexpr Fits kOf942 = {.along_channels = {.missed = 0.0373,
                                            .barrier = 253,
                                            .first_reads = 0.874,
                                            .swapped = 0.0998,
                                            .output = 0.232,
                                            .launch = 5930,
                                            .ahead = 1780,
                                            .issue = 1},
                         .along_cells = {.missed = 0.0338,
                                         .barrier = 128,
                                         .first_reads = 55.7,
                                         .swapped = 0.00114,
                                         .output = 0.829,
                                         .launch = 10100,
                                         .ahead = 3850,
                                         .issue = 2.36}};

constexpr Fits kOf950 = {.along_channels = {.missed = 0.02,
                                            .barrier = 179,
                                            .first_reads = 346,
                                            .swapped = 0.0116,
                                            .output = 0.408,
                                            .launch = 4830,
                                            .ahead = 1200,
                                            .issue = 1.32},
                         .along_cells = {.missed = 0.08,
                                         .barrier = 48.2,
                                         .first_reads = 468,
                                         .swapped = 0.0018,
                                         .output = 0.674,
                                         .launch = 6900,
                                         .ahead = 1200,
                                         .issue = 1.61}};

constexpr Fits kOf1201 = {.along_channels = {.missed = 0.00208,
                                             .barrier = 750,
                                             .first_reads = 2.08,
                                             .swapped = 0.0111,
                                             .output = 0.0877,
                                             .launch = 1540,
                                             .ahead = 1200,
                                             .issue = 1.65},
                          .along_cells = {.missed = 0.0135,
                                          .barrier = 54.2,
                                          .first_reads = 265,
                                          .swapped = 0.000238,
                                          .output = 0.136,
                                          .launch = 8490,
                                          .ahead = 1200,
                                          .issue = 0.569}};

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
  // By Gfx; gfx1100 and sm_90a, which has no rows of these families, have not been fitted.
  static std::array<Fits, std::size(kAllGfx)> fits = {kOf942, kOf950, kOfOthers, kOf1201,
                                                      kOfOthers};
  Fits& of_target = fits[static_cast<std::size_t>(gfx)];
  return along_cells ? of_target.along_cells : of_target.along_channels;
}

const TileFit& TileFitOf(Gfx gfx, bool along_cells) { return MutableTileFit(gfx, along_cells); }

}  // namespace gridwise
