// SPDX-License-Identifier: MIT
#include "core/text/nearest.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::ElementsAre;

// By hand: from "stride" take 1 step to "strides", 2 to "strode_", 6 to "n".
TEST(NearestTest, RanksByEditDistance) {
  EXPECT_THAT(NearestNames("stride", {"n", "strode_", "strides"}, 2),
              ElementsAre("strides", "strode_"));
  EXPECT_THAT(NearestNames("", {"abc", "a"}, 5), ElementsAre("a", "abc"));
}

// One character less is near, and so is what "f16" was the beginning of.
TEST(NearestTest, NamesThatBeginLikeThisComeFirst) {
  EXPECT_THAT(NearestNames("f16", {"f6", "f16_t128", "g16"}, 2), ElementsAre("f16_t128", "f6"));
}

TEST(NearestTest, ListsAllOrTheNearest) {
  EXPECT_EQ(NearestList("x", {"a", "b"}), "a, b");
  EXPECT_EQ(NearestList("bb", {"a", "b", "c"}, 1), "b, and 2 others");
  EXPECT_EQ(NearestList("x", {}), "");
}

}  // namespace
}  // namespace gridwise
