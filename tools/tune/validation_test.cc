/// Scores of ways to choose, on tables whose best kernels are known.

#include "tools/tune/validation.h"

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::DoubleEq;
using ::testing::HasSubstr;

constexpr char kLarge[] = "f16_t256x128x32_w2x2_mfma32x32x8_a8x1_b8x1_o2";
constexpr char kMiddle[] = "f16_t128x128x32_w2x2_mfma32x32x8_a8x1_b8x1_o2";
constexpr char kSmall[] = "f16_t64x64x32_w2x2_mfma32x32x8_a8x1_b8x1_o2";
constexpr char kDirect[] = "f16_ch1_cells8_taps1_stride0";

std::string Line(const std::string& problem, const std::string& row, double estimate, double ms) {
  return problem + ",gfx942,fwd f16 g1 of " + problem + "," + row + ",timed," +
         std::to_string(estimate) + "," + std::to_string(ms) + "\n";
}

std::string Table() {
  return "problem,device,sizes,row,result,estimate_us,ms\n" +
         // The planner is right.
         Line("a", kLarge, 1, 2) + Line("a", kMiddle, 2, 4) +
         // Its second is best, twice as fast; the largest tile is its third.
         Line("b", kMiddle, 1, 2) + Line("b", kSmall, 2, 1) + Line("b", kLarge, 3, 5) +
         // Its fourth is best, and has no tile.
         Line("c", kDirect, 9, 1) + Line("c", kLarge, 1, 4) + Line("c", kMiddle, 2, 2) +
         Line("c", kSmall, 3, 8) +
         // Nothing to choose from.
         Line("d", kSmall, 1, 1) + "e,gfx942,fwd f16 g1,row,error,,\n";
}

TEST(Validation, KnowsTheBestKernel) {
  const absl::StatusOr<std::vector<ValidatedGroup>> groups = ValidateTable(Table());
  ASSERT_TRUE(groups.ok()) << groups.status();
  ASSERT_EQ(groups->size(), 1u);
  const ValidatedGroup& group = groups->front();
  EXPECT_EQ(group.direction, "fwd");
  EXPECT_EQ(group.type, "f16");
  EXPECT_EQ(group.problems, 3);
  EXPECT_EQ(group.rows, 9);
  ASSERT_EQ(group.scores.size(), 3u);
  const ChoiceScore& planner = group.scores[0];  // 1, 1/2, 1/4
  EXPECT_THAT(planner.mean, DoubleEq((1 + 0.5 + 0.25) / 3));
  EXPECT_EQ(planner.median, 0.5);
  EXPECT_EQ(planner.tenth_percentile, 0.25);
  EXPECT_EQ(planner.minimum, 0.25);
  EXPECT_THAT(planner.best_chosen, DoubleEq(1.0 / 3));
  EXPECT_EQ(group.scores[1].minimum, 0.5);                // of 4, 2, 8 the best is 2
  EXPECT_THAT(group.best_in_first_3, DoubleEq(2.0 / 3));  // of a and b
  EXPECT_THAT(group.scores[2].mean, DoubleEq((1 + 0.2 + 0.25) / 3));
  EXPECT_EQ(group.losses[0].problem, "c");
  EXPECT_EQ(group.losses[0].chosen, kLarge);
  EXPECT_EQ(group.losses[0].best, kDirect);
  EXPECT_THAT(ToString(*groups), HasSubstr("25.0% c: "));
}

TEST(Validation, TablesMayFollowEachOther) {
  EXPECT_EQ(ValidateTable(Table() + Table())->front().rows, 20) << "d has two times now";
}

TEST(Validation, WhatIsNoTableIsASentence) {
  EXPECT_THAT(ValidateTable("hello\n").status().message(), HasSubstr("line 1 is none of a table"));
  EXPECT_THAT(ValidateTable(Table() + "short\n").status().message(), HasSubstr("line 13 is none"));
  EXPECT_THAT(ValidateTable("").status().message(), HasSubstr("no problem has times"));
  EXPECT_THAT(ValidateTable(Table() + Line("f", kSmall, 1, 0)).status().message(),
              HasSubstr("problem f on row"));
}

}  // namespace
}  // namespace gridwise
