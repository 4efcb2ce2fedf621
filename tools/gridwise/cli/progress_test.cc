// SPDX-License-Identifier: MIT
#include "tools/gridwise/cli/progress.h"

#include <chrono>
#include <optional>
#include <thread>

#include "gtest/gtest.h"

namespace gridwise {
namespace {

TEST(ProgressTest, EstimatesTheRest) {
  EXPECT_EQ(ProgressText("simulating", 0.25, 10), "simulating: 25%, 10 s, about 30 s left");
  EXPECT_EQ(ProgressText("simulating", 0.0, 3), "simulating: 0%, 3 s");
  EXPECT_EQ(ProgressText("reference", std::nullopt, 3.4), "reference: 3 s");
}

// 31 characters of text, a space and two brackets leave 10 of 45 columns with one to spare.
TEST(ProgressTest, ATerminalShowsABarThatFitsIt) {
  EXPECT_EQ(ProgressText("sim", 0.5, 10, 45), "sim: 50%, 10 s, about 10 s left [#####-----]");
  EXPECT_EQ(ProgressText("sim", 0.5, 10, 44), "sim: 50%, 10 s, about 10 s left");
  EXPECT_EQ(ProgressText("sim", std::nullopt, 10, 80), "sim: 10 s");
}

TEST(ProgressTest, ShortStepsSayNothingAndEndAtOnce) {
  testing::internal::CaptureStderr();
  const auto start = std::chrono::steady_clock::now();
  {
    const Progress progress("step", [] { return std::nullopt; });
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(ProgressTest, LongStepsSayHowFarTheyAre) {
  testing::internal::CaptureStderr();
  {
    const Progress progress("step", [] { return 0.5; });
    std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "step: 50%, 2 s, about 2 s left\n");
}

}  // namespace
}  // namespace gridwise
