// SPDX-License-Identifier: MIT
#include "tools/gridwise/report/published.h"

#include <algorithm>
#include <variant>

namespace gridwise {
namespace {

constexpr PublishedFigure OfTimes(std::string_view problem, double a_ms, double b_ms) {
  return {problem, a_ms / b_ms, a_ms, b_ms};
}

constexpr PublishedFigure kSubGemms[] = {
    OfTimes("almiopen-1959", 0.183, 0.171), OfTimes("retinanet-l61", 0.054, 0.045),
    OfTimes("i2v-010", 0.174, 0.125), OfTimes("synthetic-50", 0.131, 0.088)};

// The publication gives the speed of wavelet relative to the best other op.
constexpr PublishedFigure kWavelet[] = {
    {"box.reg@7", 1 / 1.91},   {"box.reg@100", 1 / 1.60},   {"box.reg@13", 1 / 1.43},
    {"box.reg@25", 1 / 1.38},  {"box.reg@50", 1 / 1.38},    {"head.3x3@100", 1 / 1.24},
    {"fpn.p7", 1 / 1.20},      {"fpn.p6", 1 / 1.20},        {"head.3x3@7", 1 / 1.17},
    {"head.3x3@13", 1 / 1.13}, {"cls.logits@50", 1 / 1.05}, {"cls.logits@100", 1 / 1.06}};

constexpr PublishedFigure kClassicTile[] = {{"cls.logits@100", 1.125}};

/// 3x3 taps, one group.
bool IsDense3x3(const Problem& problem) {
  const auto* const conv = std::get_if<ConvProblem>(&problem);
  return conv != nullptr && conv->groups == 1 && conv->dims[0].filter == 1 &&
         conv->dims[1].filter == 3 && conv->dims[2].filter == 3;
}

constexpr PublishedComparison kPublished[] = {
    {.name = "sub_gemms",
     .a = "family=ck,launches=per_sub_gemm",
     .b = "family=ck",
     .problems = "strided",
     .direction = "bwd_data",
     .device = "gfx942",
     .published = "of 25 shapes with stride > 1, one launch is 6 to 32 % faster than a launch per "
                  "sub-GEMM on 14, and as fast on 11 (ROCm/rocm-libraries#7732)",
     .figures = kSubGemms,
     .unnamed = "of the 25 shapes four are named, with their times; the other 21 are said to be "
                "layers of RetinaNet and of two sets without a list, so that there stand for them "
                "RetinaNet's layers with strides and the problems of Composable Kernel's tests"},
    {.name = "wavelet",
     .a = "family=ck,op=wavelet",
     .b = "family=ck,op=cshuffle_v3+two_stage+explicit",
     .problems = "retinanet",
     .direction = "bwd_weight",
     .device = "gfx950",
     .published = "wavelet is the fastest on 12 of 37 shapes, all of 3x3 and one group, 1.05 to "
                  "1.91 times as fast as the best other; it is not on 1x1, on groups of few "
                  "channels and on the other shapes (ROCm/rocm-libraries#5652)",
     .figures = kWavelet,
     .a_loses_elsewhere = true},
    {.name = "classic_tile",
     .a = "family=ck",
     .b = "family=tile",
     .problems = "retinanet",
     .direction = "bwd_data",
     .device = "gfx950",
     .published = "on 35 shapes CK Tile was 18 % slower than classic CK; on those of 3x3 and one "
                  "group classic takes 0.88 of its time, or 1.11 with wavelet instances of CK Tile "
                  "(f16, ROCm/rocm-libraries#8220)",
     .figures = kClassicTile,
     .is_of_mean = IsDense3x3,
     .mean_of = "3x3 taps and one group",
     .mean = 1.11},
};

}  // namespace

const PublishedFigure* PublishedComparison::Find(std::string_view problem) const {
  static constexpr PublishedFigure kLoses = {};
  const auto found = std::ranges::find(figures, problem, &PublishedFigure::problem);
  return found != figures.end() ? &*found : a_loses_elsewhere ? &kLoses : nullptr;
}

std::span<const PublishedComparison> PublishedComparisons() { return kPublished; }

}  // namespace gridwise
