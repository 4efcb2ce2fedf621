#include "ck/conv/sub_gemms.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ck/base/math.h"
#include "ck/conv/gemm_map.h"
#include "ck/conv/problem.h"

namespace gridwise {
namespace {

/// The class of residue `a`. Its smallest tap is found by trial: there are at most `tap_step`
/// candidates.
AxisClass MakeClass(const Dim& dim, int64_t tap_step, int64_t a) {
  AxisClass result{.first_in = static_cast<int>(a),
                   .count = static_cast<int>(CeilDiv(dim.in - a, dim.stride)),
                   .taps = 0};
  for (int64_t tap = 0; tap < std::min(tap_step, dim.filter); ++tap) {
    if ((a + dim.pad_begin - tap * dim.dilation) % dim.stride != 0) continue;
    result.taps = static_cast<int>(CeilDiv(dim.filter - tap, tap_step));
    const int64_t last_tap = tap + (result.taps - 1) * tap_step;
    result.first_tap = static_cast<int>(last_tap);
    result.first_out =
        static_cast<int>((a + dim.pad_begin - last_tap * dim.dilation) / dim.stride);  // exact
    break;
  }
  return result;
}

SubGemm MakeSubGemm(int64_t batch, const AxisClass& d, const AxisClass& h, const AxisClass& w) {
  return {.m = static_cast<int>(batch * d.count * h.count * w.count),
          .axis = {d, h, w},
          .by_count_w = MakeMagicDiv(static_cast<unsigned>(w.count)),
          .by_count_h = MakeMagicDiv(static_cast<unsigned>(h.count)),
          .by_count_d = MakeMagicDiv(static_cast<unsigned>(d.count))};
}

}  // namespace

AxisMap BwdDataAxisMap(const Dim& dim) {
  const int64_t gcd = Gcd(dim.stride, dim.dilation);
  const int64_t tap_step = dim.stride / gcd;
  AxisMap map;
  map.tap_step = static_cast<int>(tap_step);
  map.out_step = static_cast<int>(dim.dilation / gcd);
  for (int64_t a = 0; a < std::min(dim.stride, dim.in); ++a) {
    map.classes.push_back(MakeClass(dim, tap_step, a));
  }
  return map;
}

std::vector<SubGemm> BwdDataSubGemms(const ConvProblem& problem) {
  const AxisMap maps[3] = {BwdDataAxisMap(problem.dims[0]), BwdDataAxisMap(problem.dims[1]),
                           BwdDataAxisMap(problem.dims[2])};
  std::vector<SubGemm> gemms;
  gemms.reserve(maps[0].classes.size() * maps[1].classes.size() * maps[2].classes.size());
  for (const AxisClass& d : maps[0].classes) {
    for (const AxisClass& h : maps[1].classes) {
      for (const AxisClass& w : maps[2].classes) {
        gemms.push_back(MakeSubGemm(problem.batch, d, h, w));
      }
    }
  }
  std::stable_sort(gemms.begin(), gemms.end(),
                   [](const SubGemm& a, const SubGemm& b) { return Taps(a) > Taps(b); });
  return gemms;
}

WindowGemm MakeWindowGemm(const ConvProblem& problem) {
  WindowGemm gemm;
  gemm.cells = static_cast<int>(problem.batch * problem.out_cells());
  gemm.terms = static_cast<int>(problem.filter_taps() * problem.c_per_group());
  for (size_t axis = 0; axis < 3; ++axis) {
    const Dim& dim = problem.dims[axis];
    gemm.axis[axis] = {.count = static_cast<int>(dim.out()),
                       .taps = static_cast<int>(dim.filter),
                       .first_in = static_cast<int>(-dim.pad_begin),
                       .cell_step = static_cast<int>(dim.stride),
                       .tap_step = static_cast<int>(dim.dilation)};
  }
  const auto divide_by = [](int divisor) { return MakeMagicDiv(static_cast<unsigned>(divisor)); };
  gemm.by_count_w = divide_by(gemm.axis[2].count);
  gemm.by_count_h = divide_by(gemm.axis[1].count);
  gemm.by_count_d = divide_by(gemm.axis[0].count);
  gemm.by_channels = divide_by(static_cast<int>(problem.c_per_group()));
  gemm.by_taps_w = divide_by(gemm.axis[2].taps);
  gemm.by_taps_h = divide_by(gemm.axis[1].taps);
  return gemm;
}

}  // namespace gridwise
