// SPDX-License-Identifier: MIT
/// The page of a table whose best kernels are known.

#include "tools/tune/report.h"

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Support/JSON.h"
#include "tools/page/page_data.h"

namespace gridwise {
namespace {

using ::testing::HasSubstr;

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

TEST(Report, HasWhatTheTimesSay) {
  std::vector<TimedProblem> problems = Problems();
  TimedProblem other = problems[1];
  other.direction = "bwd_data";
  other.times = {{.instance = "x", .estimate_us = 3, .ms = 5, .at_least = true, .limiter = "LDS"}};
  problems.push_back(other);
  const absl::StatusOr<std::string> page = MakeReport(problems);
  ASSERT_TRUE(page.ok()) << page.status();
  const absl::StatusOr<llvm::json::Value> data = PageData(*page);
  ASSERT_TRUE(data.ok()) << data.status();
  const llvm::json::Array& groups = *data->getAsObject()->getArray("groups");
  ASSERT_EQ(groups.size(), 2u);
  const llvm::json::Object& small = *groups[0].getAsObject();
  EXPECT_EQ(small.getString("direction"), "bwd_data");
  EXPECT_EQ(
      *(*small.getArray("problems"))[0].getAsObject(),
      (llvm::json::Object{{"name", "b"},
                          {"sizes", "fwd f16 a"},
                          {"bound_ms", 0.5},
                          {"times", llvm::json::Array{llvm::json::Object{{"instance", "x"},
                                                                         {"family", "other"},
                                                                         {"estimate_us", 3.},
                                                                         {"ms", 5.},
                                                                         {"tflop_per_s", 0.},
                                                                         {"at_least", true},
                                                                         {"limiter", "LDS"}}}}}));
  const llvm::json::Object& large = *groups[1].getAsObject();
  EXPECT_EQ(large.getString("device"), "gfx942");
  EXPECT_EQ(large.getString("type"), "f16");
  ASSERT_EQ(large.getArray("problems")->size(), 2u);
  const llvm::json::Object& first = *(*large.getArray("problems"))[0].getAsObject();
  EXPECT_EQ(first.getString("name"), "a<b");
  const llvm::json::Array& times = *first.getArray("times");
  EXPECT_EQ(times[0].getAsObject()->getString("family"), "tile");
  EXPECT_EQ(times[1].getAsObject()->getString("family"), "direct");
  EXPECT_EQ(times[0].getAsObject()->getNumber("ms"), 4);
}

TEST(Report, NoTimesAreASentence) {
  EXPECT_THAT(MakeReport({}).status().message(), HasSubstr("the tables have no times"));
}

}  // namespace
}  // namespace gridwise
