// SPDX-License-Identifier: MIT
/// The table that a sweep of actions makes: all of its shards' problems, each on its kernels.

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "tools/tune/times.h"

namespace gridwise {
namespace {

TEST(SweepOfActions, HasEveryShard) {
  std::ifstream file("tests/choosing/times.csv");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const absl::StatusOr<std::vector<TimedProblem>> problems = ReadTimes(text);
  ASSERT_TRUE(problems.ok()) << problems.status();
  ASSERT_EQ(problems->size(), 4u);
  for (const TimedProblem& problem : *problems) EXPECT_EQ(problem.times.size(), 3u) << problem.name;
}

}  // namespace
}  // namespace gridwise
