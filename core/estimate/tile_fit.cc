// SPDX-License-Identifier: MIT
#include "core/estimate/tile_fit.h"

#include <array>
#include <cstddef>
#include <iterator>

namespace gridwise {
namespace {

// For instances of the tile and classic families on training problems (tools/tune), f16.
constexpr TileFits kOf942 = {.along_channels = {.missed = 0.0149,
                                                .barrier = 291,
                                                .first_reads = 1.14,
                                                .swapped = 0.0289,
                                                .output = 0.232,
                                                .launch = 5930,
                                                .ahead = 682,
                                                .issue = 1.15},
                             .along_pixels = {.missed = 0.0442,
                                              .barrier = 384,
                                              .first_reads = 11.6,
                                              .swapped = 0.00318,
                                              .output = 0.829,
                                              .launch = 3370,
                                              .ahead = 1480,
                                              .issue = 2.36}};

constexpr TileFits kOf950 = {.along_channels = {.missed = 0.00417,
                                                .barrier = 179,
                                                .first_reads = 450,
                                                .swapped = 0.0112,
                                                .output = 0.178,
                                                .launch = 4830,
                                                .ahead = 374,
                                                .issue = 1.32},
                             .along_pixels = {.missed = 0.0192,
                                              .barrier = 163,
                                              .first_reads = 468,
                                              .swapped = 0.000379,
                                              .output = 0.41,
                                              .launch = 4340,
                                              .ahead = 1200,
                                              .issue = 1.61}};

constexpr TileFits kOf1201 = {.along_channels = {.missed = 0.000433,
                                                 .barrier = 652,
                                                 .first_reads = 0.533,
                                                 .swapped = 0.00231,
                                                 .output = 0.346,
                                                 .launch = 321,
                                                 .ahead = 1200,
                                                 .issue = 1.9},
                              .along_pixels = {.missed = 0.00281,
                                               .barrier = 106,
                                               .first_reads = 265,
                                               .swapped = 0.00114,
                                               .output = 0.247,
                                               .launch = 6530,
                                               .ahead = 1200,
                                               .issue = 0.19}};

// gfx942's, by the clock before it had two frequencies in one launch.
constexpr TileFit kUnfitted = {.missed = 0.3,
                               .barrier = 600,
                               .first_reads = 160,
                               .swapped = 0.052,
                               .output = 0.77,
                               .launch = 1000,
                               .ahead = 1200,
                               .issue = 1.5};
constexpr TileFits kOfOthers = {kUnfitted, kUnfitted};

// Backward-weight has not been fitted.
constexpr TileFits kOf1100 = {.along_channels = {.missed = 0.0625,
                                                 .barrier = 144,
                                                 .first_reads = 480,
                                                 .swapped = 0.0946,
                                                 .output = 0.257,
                                                 .launch = 1300,
                                                 .ahead = 1200,
                                                 .issue = 1.5},
                              .along_pixels = kUnfitted};

}  // namespace

const TileFits& FindTileFits(Gfx gfx) {
  // By Gfx. gfx90a has not been fitted; sm_90a has no instances of these families.
  static constexpr std::array<TileFits, std::size(kAllGfx)> kFits = {kOf942,  kOf950,    kOf1100,
                                                                     kOf1201, kOfOthers, kOfOthers};
  return kFits[static_cast<std::size_t>(gfx)];
}

}  // namespace gridwise
