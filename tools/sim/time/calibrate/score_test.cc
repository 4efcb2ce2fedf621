// SPDX-License-Identifier: MIT
#include "tools/sim/time/calibrate/score.h"

#include <cmath>
#include <vector>

#include "gtest/gtest.h"

namespace gridwise::sim::time {
namespace {

TEST(Score, OfExactPredictionsIsPerfect) {
  const std::vector<Prediction> exact = {{"a", 1, 1}, {"b", 2, 2}, {"c", 4, 4}};
  const Score score = ComputeScore(exact);
  EXPECT_EQ(score.rows, 3);
  EXPECT_EQ(score.median, 0);
  EXPECT_EQ(score.largest, 0);
  EXPECT_EQ(score.tau, 1);
  EXPECT_EQ(score.regret, 0);
}

TEST(Score, SeesErrorsBiasAndOrder) {
  // Two of three pairs are in order; the best by prediction takes 1.5 times as long as the best.
  const std::vector<Prediction> some = {{"a", 1, 2}, {"b", 1.5, 1.5}, {"c", 4, 8}};
  const Score score = ComputeScore(some);
  EXPECT_NEAR(score.median, std::log(2), 1e-12);
  EXPECT_NEAR(score.largest, std::log(2), 1e-12);
  EXPECT_NEAR(score.bias, 2 * std::log(2) / 3, 1e-12);
  EXPECT_NEAR(score.order, 2.0 / 3, 1e-12);
  EXPECT_NEAR(score.tau, 1.0 / 3, 1e-12);
  EXPECT_NEAR(score.regret, 0.5, 1e-12);
}

TEST(Score, LeavesPairsWithinTheNoiseOut) {
  const std::vector<Prediction> close = {{"a", 1, 2}, {"b", 1.04, 1}};
  EXPECT_EQ(ComputeScore(close).tau, 1);
  EXPECT_EQ(ComputeScore(close, 0.01).tau, -1);
}

TEST(Score, RanksWithinAProblem) {
  // In order within both problems, though the slow one of "x" is taken for faster than those of
  // "y".
  const std::vector<Prediction> rows = {
      {"a", 1, 1, "x"}, {"b", 5, 2, "x"}, {"c", 3, 3, "y"}, {"d", 4, 6, "y"}};
  EXPECT_EQ(ComputeScore(rows).tau, 1);
  // The choice for "y" takes a third more than the best, that for "x" is the best.
  const std::vector<Prediction> swapped = {
      {"a", 1, 1, "x"}, {"b", 5, 2, "x"}, {"c", 3, 6, "y"}, {"d", 4, 3, "y"}};
  EXPECT_NEAR(ComputeScore(swapped).regret, 1.0 / 6, 1e-12);
}

TEST(Score, NamesFamilies) {
  EXPECT_EQ(FamilyOf("g1100-sebv-k1"), "g1100-sebv");
  EXPECT_EQ(FamilyOf("g942-snek-1024x512x7168-p2"), "g942-snek");
  EXPECT_EQ(FamilyOf("single"), "single");
}

}  // namespace
}  // namespace gridwise::sim::time
