// SPDX-License-Identifier: MIT
// Before other headers of device code:
#include "hopper/testing/check_on_host.h"
// and what it checks.
#include <cstdint>

#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "gtest/gtest.h"
#include "hopper/depthwise/kernel.h"
#include "hopper/depthwise/plan.h"

namespace gridwise::hopper {
namespace {

template <DepthwiseWeightConfig kC>
void CheckDepthwise(ConvProblem problem, int splits, Values values = Values::kFinite) {
  problem.type = kC.type;
  ASSERT_EQ(Why(RejectProblem(kC, problem)), "");
  Check(
      problem, [](const PartRequest& request) { return PlanDepthwise(kC, request); },
      RunWarpRoles<DepthwiseWeightRoles<kC>, DepthwiseWeightArgs>, splits, values);
}

Dim Taps(std::int64_t in, std::int64_t filter, std::int64_t begin, std::int64_t end) {
  return {.in = in, .filter = filter, .pad_begin = begin, .pad_end = end};
}

ConvProblem Depthwise(std::int64_t channels, Dim height, Dim width) {
  return Problem(Direction::kBackwardWeight, channels, 1, 1, height, width);
}

TEST(DepthwiseWeight, SevenRows) {
  constexpr DepthwiseWeightConfig kC = {.rows = 7};
  CheckDepthwise<kC>(Depthwise(40, Taps(28, 7, 3, 3), Taps(28, 7, 3, 3)), 1);
  CheckDepthwise<kC>(Depthwise(18, Taps(33, 7, 3, 3), Taps(41, 7, 3, 3)), 3);
  CheckDepthwise<kC>(Depthwise(16, Taps(15, 6, 0, 2), Taps(9, 9, 5, 7)), 1);
  CheckDepthwise<kC>(Depthwise(2, Taps(16, 7, 9, 0), Taps(17, 2, 0, 0)), 2);
}

TEST(DepthwiseWeight, OtherFilters) {
  constexpr DepthwiseWeightConfig k3 = {.type = DataType::kBF16, .rows = 3};
  CheckDepthwise<k3>(Depthwise(24, Taps(14, 3, 1, 1), Taps(14, 3, 1, 1)), 2);
  constexpr DepthwiseWeightConfig k5 = {.rows = 5};
  CheckDepthwise<k5>(Depthwise(24, Taps(31, 5, 2, 2), Taps(20, 5, 2, 2)), 1);
  constexpr DepthwiseWeightConfig k9 = {.rows = 9};
  CheckDepthwise<k9>(Depthwise(16, Taps(17, 9, 4, 4), Taps(33, 9, 4, 4)), 1);
  constexpr DepthwiseWeightConfig k1 = {.rows = 1};
  CheckDepthwise<k1>(Depthwise(16, Taps(16, 1, 0, 0), Taps(40, 5, 2, 2)), 1);
}

/// An infinity of dy meets padding, which counts as zeros; one of x meets zeros in place of dy that
/// does not exist, which do not count. It is the first pixel of the second image, or lies between
/// the borders of a single row or column.
TEST(DepthwiseWeight, InfinitiesStayInTheirSums) {
  constexpr DepthwiseWeightConfig kC = {.rows = 5};
  const auto check = [&](const ConvProblem& problem) {
    for (const int splits : {1, 2}) {
      CheckDepthwise<kC>(problem, splits, Values::kInfinity);
      CheckDepthwise<kC>(problem, splits, Values::kInfinityInB);
    }
  };
  check(Depthwise(16, Taps(15, 5, 2, 2), Taps(20, 5, 2, 2)));
  check(Depthwise(16, Taps(15, 5, 0, 4), Taps(20, 5, 4, 0)));
  check(Depthwise(16, Taps(1, 5, 2, 2), Taps(20, 5, 2, 2)));
  check(Depthwise(16, Taps(1, 5, 2, 4), Taps(33, 5, 2, 2)));
  check(Depthwise(16, Taps(17, 5, 2, 2), Taps(1, 5, 2, 2)));
  ConvProblem one = Depthwise(16, Taps(1, 5, 2, 2), Taps(11, 5, 2, 2));
  one.batch = 1;  // the middle of a row
  CheckDepthwise<kC>(one, 1, Values::kInfinity);
  CheckDepthwise<kC>(one, 1, Values::kInfinityInB);
}

}  // namespace
}  // namespace gridwise::hopper
