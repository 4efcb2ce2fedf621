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
constexpr Fits kOf942 = {.along_channels = {.missed = 0.17,
                                            .barrier = 780,
                                            .first_reads = 7.84,
                                            .swapped = 0.0244,
                                            .output = 0.886,
                                            .launch = 4430,
                                            .ahead = 2350,
                                            .issue = 1.5},
                         .along_cells = {.missed = 0.077,
                                         .barrier = 226,
                                         .first_reads = 99.4,
                                         .swapped = 0.0213,
                                         .output = 0.771,
                                         .launch = 10900,
                                         .ahead = 3600,
                                         .issue = 1.3}};

constexpr Fits kOf950 = {.along_channels = {.missed = 0.287,
                                            .barrier = 296,
                                            .first_reads = 1040,
                                            .swapped = 0.0279,
                                            .output = 0.72,
                                            .launch = 3260,
                                            .ahead = 4680,
                                            .issue = 1.15},
                         .along_cells = {.missed = 0.295,
                                         .barrier = 528,
                                         .first_reads = 50.3,
                                         .swapped = 0.0421,
                                         .output = 1.77,
                                         .launch = 23000,
                                         .ahead = 1200,
                                         .issue = 1}};

constexpr Fits kOf1201 = {.along_channels = {.missed = 0.0669,
                                             .barrier = 1680,
                                             .first_reads = 33.3,
                                             .swapped = 0.248,
                                             .output = 2.02,
                                             .launch = 960,
                                             .ahead = 1200,
                                             .issue = 4.5},
                          .along_cells = {.missed = 0.176,
                                          .barrier = 187,
                                          .first_reads = 480,
                                          .swapped = 0.0199,
                                          .output = 0.257,
                                          .launch = 2080,
                                          .ahead = 1200,
                                          .issue = 4.5}};

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
