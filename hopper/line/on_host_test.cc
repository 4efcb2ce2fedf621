// SPDX-License-Identifier: MIT
// Before other headers of device code:
#include "hopper/testing/check_on_host.h"
// and what it checks.
#include <cstdint>

#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "gtest/gtest.h"
#include "hopper/line/kernel.h"
#include "hopper/line/plan.h"

namespace gridwise::hopper {
namespace {

template <LineConfig kC>
void CheckLine(const ConvProblem& problem, int splits = 1, Values values = Values::kFinite) {
  Check(
      problem,
      [](const PartRequest& request) {
        EXPECT_EQ(Why(RejectProblem(kC, request.problem)), "");
        return PlanLine(kC, request);
      },
      RunRoles<kC.warpgroups(), LineRoles<kC>, HaloArgs>, splits, values, kC.type);
}

TEST(Line, FewChannels) {
  const auto axis = [](std::int64_t in, std::int64_t filter, std::int64_t stride) {
    return Dim{.in = in,
               .filter = filter,
               .stride = stride,
               .pad_begin = filter / 2,
               .pad_end = filter / 2};
  };
  const auto problem = [](std::int64_t c, std::int64_t k, Dim h, Dim w) {
    return Problem(Direction::kForward, 1, c, k, h, w);
  };
  constexpr LineConfig k7 = {};
  const ConvProblem stem = problem(3, 64, axis(37, 7, 2), axis(48, 7, 2));
  CheckLine<k7>(WithTensors(1, stem));
  CheckLine<k7>(WithTensors(2, stem));
  CheckLine<k7>(stem);
  CheckLine<k7>(stem, /*splits=*/2);
  CheckLine<k7>(stem, 1, Values::kInfinity);
  CheckLine<k7>(stem, /*splits=*/2, Values::kInfinity);
  CheckLine<k7>(problem(3, 70, axis(9, 7, 1), axis(16, 7, 2)));
  constexpr LineConfig k3 = {.lines = 3, .pieces = 2, .columns = 32, .teams = 2, .stages = 2};
  CheckLine<k3>(problem(4, 24, axis(11, 3, 1), axis(12, 3, 1)));
  CheckLine<k3>(problem(3, 24, axis(11, 3, 3), axis(16, 3, 2)));
  for (const std::int64_t k : {24, 21}) {  // i32 vectors and elements, of copies of i8
    ConvProblem bytes = problem(4, k, axis(11, 3, 1), axis(12, 3, 1));
    bytes.type = DataType::kI8;
    CheckLine<k3>(bytes);
    bytes.out_type = DataType::kF32;
    bytes.epilogue.alpha = 0.01;
    bytes.epilogue.high = 40;
    CheckLine<k3>(bytes);
  }
}

TEST(Line, BackwardDataOfFewChannels) {
  const auto problem = [](std::int64_t c, std::int64_t k, Dim h, Dim w) {
    return Problem(Direction::kBackwardData, 1, c, k, h, w);
  };
  constexpr LineConfig k36 = {.direction = Direction::kBackwardData,
                              .lines = 3,
                              .pieces = 14,
                              .columns = 128,
                              .teams = 2,
                              .stages = 2,
                              .elements = 1024};
  CheckLine<k36>(problem(136, 36, Axis(7), Axis(7)));
  CheckLine<k36>(problem(72, 36, Axis(9, 1, 0), Axis(31, 1, 2)));
  CheckLine<k36>(problem(40, 36, Axis(13), Axis(13)), /*splits=*/2);
  CheckLine<k36>(problem(64, 36, Axis(9), Axis(9)), 1, Values::kInfinity);
  CheckLine<k36>(problem(64, 36, Axis(9), Axis(9)), /*splits=*/2, Values::kInfinity);
  constexpr LineConfig k4 = {.direction = Direction::kBackwardData,
                             .lines = 3,
                             .pieces = 3,
                             .columns = 64,
                             .teams = 1,
                             .stages = 2,
                             .elements = 384};
  CheckLine<k4>(problem(24, 8, Axis(5), Axis(11)));
}

}  // namespace
}  // namespace gridwise::hopper
