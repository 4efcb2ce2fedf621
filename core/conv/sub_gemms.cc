// SPDX-License-Identifier: MIT
#include "core/conv/sub_gemms.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/base/math.h"
#include "core/conv/gemm_map.h"
#include "core/conv/problem.h"

namespace gridwise {
namespace {

/// The phase of residue `a` of backward-data, whose smallest tap is `tap`. Taps count down, so the
/// pixels of dy count up.
AxisPhase PhaseOf(const Dim& dim, int64_t tap_distance, int64_t a, std::optional<int64_t> tap) {
  AxisPhase result{.first_pixel = static_cast<int>(a),
                   .count = static_cast<int>(CeilDiv(dim.in - a, dim.stride)),
                   .taps = 0};
  if (!tap) return result;
  result.taps = static_cast<int>(CeilDiv(dim.filter - *tap, tap_distance));
  const int64_t last_tap = *tap + (result.taps - 1) * tap_distance;
  result.first_tap = static_cast<int>(last_tap);
  result.first_source =
      static_cast<int>((a + dim.pad_begin - last_tap * dim.dilation) / dim.stride);  // exact
  return result;
}

/// The smallest tap that reaches the pixels of each residue.
absl::InlinedVector<std::optional<int64_t>, 2> SmallestTaps(const Dim& dim, int64_t tap_distance) {
  absl::InlinedVector<std::optional<int64_t>, 2> taps(
      static_cast<size_t>(std::min(dim.stride, dim.in)));
  for (int64_t tap = 0; tap < std::min(tap_distance, dim.filter); ++tap) {
    const int64_t rest = (tap * dim.dilation - dim.pad_begin) % dim.stride;
    const auto a = static_cast<size_t>(rest < 0 ? rest + dim.stride : rest);
    if (a < taps.size()) taps[a] = tap;  // the only one: tap_distance apart is the next
  }
  return taps;
}

AxisMap ForwardAxisMap(const Dim& dim) {
  return {.strides = MakeAxisStrides(Direction::kForward, dim),
          .phases = {{.count = static_cast<int>(dim.out()),
                      .taps = static_cast<int>(dim.filter),
                      .first_source = static_cast<int>(-dim.pad_begin)}}};
}

AxisMap BackwardDataAxisMap(const Dim& dim) {
  AxisMap map = {.strides = MakeAxisStrides(Direction::kBackwardData, dim), .phases = {}};
  const int64_t tap_distance = -map.strides.tap_stride;
  int64_t a = 0;
  for (const std::optional<int64_t> tap : SmallestTaps(dim, tap_distance)) {
    map.phases.push_back(PhaseOf(dim, tap_distance, a++, tap));
  }
  return map;
}

SubGemm MakeSubGemm(int64_t batch, const AxisPhase& d, const AxisPhase& h, const AxisPhase& w) {
  const auto by_taps = [](const AxisPhase& axis) {
    return MakeMagicDiv(static_cast<unsigned>(std::max(axis.taps, 1)));
  };
  return {.m = static_cast<int>(batch * d.count * h.count * w.count),
          .axis = {d, h, w},
          .by_count_w = MakeMagicDiv(static_cast<unsigned>(w.count)),
          .by_count_h = MakeMagicDiv(static_cast<unsigned>(h.count)),
          .by_count_d = MakeMagicDiv(static_cast<unsigned>(d.count)),
          .by_taps_w = by_taps(w),
          .by_taps_h = by_taps(h)};
}

}  // namespace

AxisStrides MakeAxisStrides(Direction direction, const Dim& dim) {
  if (direction != Direction::kBackwardData) {
    return {.source_stride = static_cast<int>(dim.stride),
            .tap_source_stride = static_cast<int>(dim.dilation)};
  }
  const int64_t gcd = Gcd(dim.stride, dim.dilation);
  return {.pixel_stride = static_cast<int>(dim.stride),
          .tap_stride = -static_cast<int>(dim.stride / gcd),
          .tap_source_stride = static_cast<int>(dim.dilation / gcd)};
}

AxisMap MakeAxisMap(Direction direction, const Dim& dim) {
  return direction == Direction::kBackwardData ? BackwardDataAxisMap(dim) : ForwardAxisMap(dim);
}

std::vector<SubGemm> MakeSubGemms(const ConvProblem& problem) {
  AxisMap maps[3];
  for (size_t axis = 0; axis < 3; ++axis) {
    maps[axis] = MakeAxisMap(problem.direction, problem.dims[axis]);
  }
  std::vector<SubGemm> gemms;
  gemms.reserve(maps[0].phases.size() * maps[1].phases.size() * maps[2].phases.size());
  for (const AxisPhase& d : maps[0].phases) {
    for (const AxisPhase& h : maps[1].phases) {
      for (const AxisPhase& w : maps[2].phases) {
        gemms.push_back(MakeSubGemm(problem.batch, d, h, w));
      }
    }
  }
  std::stable_sort(gemms.begin(), gemms.end(),
                   [](const SubGemm& a, const SubGemm& b) { return Taps(a) > Taps(b); });
  return gemms;
}

int64_t SubGemmCount(const ConvProblem& problem) {
  if (problem.direction != Direction::kBackwardData) return 1;
  int64_t count = 1;
  for (const Dim& dim : problem.dims) count *= std::min(dim.stride, dim.in);
  return count;
}

void SetFilter(const PerAxis& w_stride, int (&filter)[3]) {
  filter[0] = 1;
  filter[1] = static_cast<int>(w_stride[2] / w_stride[3]);
  filter[2] = static_cast<int>(w_stride[3] / w_stride[4]);
}

}  // namespace gridwise
