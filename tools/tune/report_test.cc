// SPDX-License-Identifier: MIT
/// The page of a table whose best kernels are known.

#include "tools/tune/report.h"

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kTile[] = "f16_t256x128x32_w2x2_mfma32x32x8_a8x1_b8x1_o2";
constexpr char kDirect[] = "f16_ch1_pixels8_taps1_stride0";

std::vector<TimedProblem> Problems() {
  TimedProblem a = {.name = "a<b", .device = "gfx942", .sizes = "fwd f16 a", .direction = "fwd"};
  a.type = "f16";
  a.times = {{.instance = kTile, .estimate_us = 1, .ms = 4},
             {.instance = kDirect, .estimate_us = 2, .ms = 1}};
  TimedProblem b = a;
  b.name = "b";
  b.bound_ms = 0.5;
  b.times[0].ms = 1;
  b.times[1].ms = 2;
  return {a, b};
}

TEST(Report, SaysWhatTheTimesSay) {
  const absl::StatusOr<std::string> page = MakeReport(Problems());
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_THAT(*page, AllOf(HasSubstr("<h2>gfx942 fwd f16</h2><p>2 problems, 4 times."),
                           HasSubstr(">direct</text>"), HasSubstr(">tile</text>"),
                           HasSubstr("a&lt;b"), Not(HasSubstr("a<b"))));
  // Of a the estimate's choice has a quarter of the best one's speed.
  EXPECT_THAT(*page, HasSubstr(std::string(kTile) + " on a&lt;b: 25 %, 4 ms"));
  EXPECT_THAT(*page, HasSubstr("<td>25 %<td class=t>" + std::string(kTile)));
  // Of b it is the best, at half of the bound.
  EXPECT_THAT(*page, HasSubstr("<td>50 %<td>100 %<td class=t>the same"));
}

TEST(Report, NeedsNothingButItself) {
  const std::string page = *MakeReport(Problems());
  for (const char* outside : {"http:", "https:", "src=", "@import", "<link", "url("}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
}

TEST(Report, NoTimesAreASentence) {
  EXPECT_THAT(MakeReport({}).status().message(), HasSubstr("the tables have no times"));
}

}  // namespace
}  // namespace gridwise
