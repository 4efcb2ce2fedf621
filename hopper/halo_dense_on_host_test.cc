#include <cstdint>

#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "gtest/gtest.h"
#include "hopper/check_on_host.h"
#include "hopper/halo_plan.h"
#include "hopper/kernel/halo_dense.h"

namespace gridwise::hopper {
namespace {

template <HaloDenseConfig kC>
void CheckDense(const ConvProblem& problem, int splits = 1) {
  ASSERT_EQ(RejectProblem(kC, problem).value_or(""), "");
  Check(
      problem, [](const PartRequest& request) { return PlanHalo(kC, request); },
      RunRoles<kC.warpgroups(), HaloDenseRoles<kC>, HaloArgs>, splits);
}

TEST(HaloDense, FewColumns) {
  CheckDense<HaloDenseConfig{}>(Problem(Direction::kForward, 1, 136, 36, Axis(9), Axis(17)));
  CheckDense<HaloDenseConfig{}>(Problem(Direction::kForward, 1, 136, 36, Axis(9), Axis(17)), 4);
  constexpr HaloDenseConfig kKept = {.sharers = 2, .reps = 1, .stages = 2, .kept = 4};
  CheckDense<kKept>(Problem(Direction::kForward, 1, 136, 36, Axis(9), Axis(17)));
  CheckDense<kKept>(Problem(Direction::kForward, 1, 200, 40, Axis(9), Axis(17)), 3);
  constexpr HaloDenseConfig k64 = {.columns = 64, .sharers = 1, .reps = 2, .stages = 2};
  constexpr HaloDenseConfig kLarge = {.sharers = 3, .reps = 2, .stages = 2};
  CheckDense<kLarge>(Problem(Direction::kForward, 1, 136, 36, Axis(9), Axis(17)));
  CheckDense<k64>(Problem(Direction::kForward, 1, 64, 50, Axis(13, 2), Axis(10)));
}

TEST(HaloDense, JoinedTaps) {
  constexpr HaloDenseConfig kRow = {.columns = 36, .sharers = 2, .reps = 2, .joins = true};
  CheckDense<kRow>(Problem(Direction::kForward, 1, 136, 36, Axis(9), Axis(17)));
  CheckDense<kRow>(Problem(Direction::kForward, 1, 136, 3, Axis(9, 2), Axis(17)), 4);
  constexpr HaloDenseConfig kTurns = {
      .columns = 36, .sharers = 2, .reps = 2, .stages = 3, .joins = true, .take_turns = true};
  CheckDense<kTurns>(Problem(Direction::kForward, 1, 256, 36, Axis(13), Axis(30)));
  CheckDense<kTurns>(Problem(Direction::kForward, 1, 136, 36, Axis(9), Axis(17)), 4);
}

TEST(HaloDense, EightColumns) {
  constexpr HaloDenseConfig kJoins = {.columns = 8, .sharers = 4, .stages = 3, .joins = true};
  constexpr HaloDenseConfig kOneTap = {.columns = 8, .filter = 1, .sharers = 4, .stages = 3};
  for (const std::int64_t k : {1, 3, 4, 8}) {
    CheckDense<kJoins>(Problem(Direction::kForward, 1, 136, k, Axis(9), Axis(17)));
    const ConvProblem one_tap = Problem(Direction::kForward, 1, 72, k, Dim{.in = 9}, Dim{.in = 65});
    CheckDense<kOneTap>(one_tap);
    CheckDense<kOneTap>(one_tap, /*splits=*/3);
  }
  ConvProblem finished = Problem(Direction::kForward, 1, 72, 3, Axis(9), Axis(17));
  finished.epilogue.alpha = 0.5;
  finished.epilogue.low = 0;
  CheckDense<kJoins>(finished);
}

}  // namespace
}  // namespace gridwise::hopper
