// SPDX-License-Identifier: MIT
/// Scores of ways to choose, on tables whose best kernels are known.

#include "tools/tune/validation.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::DoubleEq;
using ::testing::HasSubstr;

TimedProblem Problem(std::string name, std::vector<InstanceTime> times) {
  TimedProblem problem = {.name = std::move(name), .device = "gfx942", .sizes = "fwd f16"};
  problem.direction = "fwd";
  problem.type = "f16";
  problem.times = std::move(times);
  return problem;
}

InstanceTime Time(std::string instance, double estimate, double ms) {
  return {.instance = std::move(instance), .estimate_us = estimate, .ms = ms};
}

std::vector<TimedProblem> Problems() {
  return {// The estimates are right.
          Problem("a", {Time("large", 1, 2), Time("middle", 2, 4)}),
          // Their second is best, twice as fast.
          Problem("b", {Time("middle", 1, 2), Time("small", 2, 1), Time("large", 3, 5)}),
          // Their fourth is best.
          Problem("c", {Time("direct", 9, 1), Time("large", 1, 4), Time("middle", 2, 2),
                        Time("small", 3, 8)}),
          // Nothing to choose from.
          Problem("d", {Time("small", 1, 1)})};
}

/// Ranks the instances of a problem by `rank`.
Judge JudgeBy(const char* name, double (*rank)(const InstanceTime&)) {
  return {name, [rank](const TimedProblem& problem) {
            std::vector<double> ranks;
            for (const InstanceTime& time : problem.times) ranks.push_back(rank(time));
            return absl::StatusOr<std::vector<double>>(ranks);
          }};
}
Judge Estimates() {
  return JudgeBy("estimates", [](const InstanceTime& time) { return time.estimate_us; });
}
Judge Slowest() {
  return JudgeBy("slowest", [](const InstanceTime& time) { return -time.ms; });
}

TEST(Validation, KnowsTheBestKernel) {
  const std::vector<Judge> judges = {Estimates(), Slowest()};
  const absl::StatusOr<std::vector<ValidatedGroup>> groups = Validate(Problems(), judges);
  ASSERT_TRUE(groups.ok()) << groups.status();
  ASSERT_EQ(groups->size(), 1u);
  const ValidatedGroup& group = groups->front();
  EXPECT_EQ(group.direction, "fwd");
  EXPECT_EQ(group.type, "f16");
  EXPECT_EQ(group.problems, 3);
  EXPECT_EQ(group.instances, 9);
  ASSERT_EQ(group.scores.size(), 2u);
  const JudgeScore& estimates = group.scores[0];  // 1, 1/2, 1/4
  EXPECT_THAT(estimates.mean, DoubleEq((1 + 0.5 + 0.25) / 3));
  EXPECT_EQ(estimates.median, 0.5);
  EXPECT_EQ(estimates.tenth_percentile, 0.25);
  EXPECT_EQ(estimates.minimum, 0.25);
  EXPECT_THAT(estimates.best_first, DoubleEq(1.0 / 3));
  EXPECT_THAT(estimates.best_in_3, DoubleEq(2.0 / 3));            // a and b
  EXPECT_THAT(estimates.mean_of_3, DoubleEq((1 + 1 + 0.5) / 3));  // the best of 4, 2 and 8 is 2
  EXPECT_THAT(group.scores[1].mean, DoubleEq((0.5 + 0.2 + 0.125) / 3));
  EXPECT_EQ(group.losses[0].problem, "c");
  EXPECT_EQ(group.losses[0].chosen, "large");
  EXPECT_EQ(group.losses[0].best, "direct");
  EXPECT_THAT(ToString(*groups), HasSubstr("25.0% c: large, best direct"));
}

TEST(Validation, CountsChoicesOfWhichABoundIsKnown) {
  TimedProblem bounded = Problem("a", {Time("large", 1, 4), Time("middle", 2, 2)});
  bounded.times[0].at_least = true;
  const auto groups =
      Validate(std::vector<TimedProblem>{bounded}, std::vector<Judge>{Estimates(), Slowest()});
  ASSERT_TRUE(groups.ok()) << groups.status();
  EXPECT_EQ(groups->front().scores[0].bounded, 1);
  EXPECT_EQ(groups->front().scores[0].mean, 0.5);
  EXPECT_THAT(ToString(*groups), HasSubstr("of 1 choices no more than a bound is known"));
}

TEST(Validation, NothingToChooseFromIsASentence) {
  const std::vector<TimedProblem> alone = {Problems().back()};
  EXPECT_THAT(Validate(alone, std::vector<Judge>{Estimates()}).status().message(),
              HasSubstr("no problem has times of two kernels"));
}

TEST(Validation, AJudgesErrorIsPassedOn) {
  const Judge broken = {"broken", [](const TimedProblem&) -> absl::StatusOr<std::vector<double>> {
                          return absl::InvalidArgumentError("no such instance");
                        }};
  EXPECT_EQ(Validate(Problems(), std::vector<Judge>{broken}).status().message(),
            "no such instance");
}

}  // namespace
}  // namespace gridwise
