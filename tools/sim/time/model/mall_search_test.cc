// SPDX-License-Identifier: MIT
#include "tools/sim/time/model/mall_search.h"

#include <algorithm>
#include <optional>

#include "absl/functional/function_ref.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise::sim::time {
namespace {

using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::Ge;
using ::testing::Le;

struct Found {
  double clk = 0;
  int replays = 0;
};

/// The clocks where memory delivers what the MALL lacks of `fetched` lines, each line once being
/// 1,000 of them and a line a clock.
Found Search(double first, absl::FunctionRef<double(double)> fetched) {
  MallSearch search;
  Found found;
  std::optional<double> part = first;
  while (part) {
    ++found.replays;
    const double lines = fetched(*part);
    part = search.Next({.had = *part, .found = 1 - 1000 / lines, .clk = lines * (1 - *part)});
  }
  found.clk = search.Clocks();
  return found;
}

TEST(MallSearch, EndsWithTheFirstReplayThatAgrees) {
  const Found found = Search(0.5, [](double) { return 2000.0; });
  EXPECT_EQ(found.replays, 1);
  EXPECT_EQ(found.clk, 1000);
}

TEST(MallSearch, TakesWhatFollowsFromAReplay) {
  const Found found = Search(0.1, [](double) { return 2000.0; });
  EXPECT_EQ(found.replays, 2);
  EXPECT_EQ(found.clk, 1000);
}

TEST(MallSearch, ComesToThePartThatAgrees) {
  // Replays with what each finds would go to and fro: 0 from 0.75, 0.75 from 0.
  const Found found = Search(0.9, [](double part) { return 4000 - 4000 * std::min(0.75, part); });
  EXPECT_THAT(found.clk, DoubleNear(1000, 100));
  EXPECT_THAT(found.replays, AllOf(Ge(3), Le(6)));
}

TEST(MallSearch, IsOnBothSidesOfAStep) {
  for (const double first : {0.02, 0.3, 0.5, 0.9}) {
    const Found found = Search(first, [](double part) { return part < 0.4 ? 1950.0 : 1010.0; });
    // One side alone: 1,170 and 606 clocks.
    EXPECT_THAT(found.clk, DoubleNear(1000, 20)) << first;
    EXPECT_THAT(found.replays, AllOf(Ge(3), Le(7))) << first;
  }
}

TEST(MallSearch, ClocksAreFiniteWhereAReplayFetchesNothing) {
  MallSearch search;
  EXPECT_EQ(search.Next({.had = 0.5, .found = 1, .clk = 900}), 1);
  std::optional<double> part = search.Next({.had = 1, .found = 0.2, .clk = 500});
  ASSERT_TRUE(part);
  EXPECT_THAT(*part, AllOf(Ge(0.5), Le(1)));
  EXPECT_THAT(search.Clocks(), AllOf(Ge(500), Le(900)));
}

TEST(MallSearch, ClocksAreFiniteWhereNearlyNothingIsFetched) {
  MallSearch search;
  std::optional<double> part = 0.9995;
  double found = 1;
  for (int replays = 0; part && replays < 8; ++replays) {
    part = search.Next({.had = *part, .found = found, .clk = 500});
    found = found == 1 ? 0.9995 : 1;
  }
  EXPECT_FALSE(part);
  EXPECT_EQ(search.Clocks(), 500);
}

TEST(MallSearch, EndsWhereNothingIsFound) {
  bool more = false;
  const Found found =
      Search(0.2, [&](double) { return (more = !more) ? 1e9 : 1000.0; });  // whatever the part
  EXPECT_THAT(found.replays, AllOf(Ge(2), Le(8)));
}

}  // namespace
}  // namespace gridwise::sim::time
