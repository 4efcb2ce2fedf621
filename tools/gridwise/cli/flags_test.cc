// SPDX-License-Identifier: MIT
#include "tools/gridwise/cli/flags.h"

#include <cstdint>
#include <optional>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

ABSL_FLAG(std::optional<int64_t>, test_size, std::nullopt, "");
ABSL_FLAG(double, test_factor, 1, "");
ABSL_FLAG(bool, test_switch, false, "");
ABSL_FLAG(gridwise::OperationCount, test_flops, {}, "");
ABSL_FLAG(int, test_hidden, 0, "");

namespace gridwise {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string_view> Known() {
  return {"test_size", "test_factor", "test_switch", "test_flops"};
}

TEST(FlagsTest, TellsFlagsFromWords) {
  const auto line = ParseCommandLine({"program", "run", "--test-size=7", "fwd", "--test_factor",
                                      "-2.5", "--test-switch", "--", "--test-size=8"},
                                     Known());
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_THAT(line->words, ElementsAre("program", "run", "fwd", "--test-size=8"));
  EXPECT_THAT(line->flags, ElementsAre("test_size", "test_factor", "test_switch"));
  EXPECT_EQ(absl::GetFlag(FLAGS_test_size), 7);
  EXPECT_EQ(absl::GetFlag(FLAGS_test_factor), -2.5);
  EXPECT_TRUE(absl::GetFlag(FLAGS_test_switch));
}

TEST(FlagsTest, CountsOfOperationsHavePrefixes) {
  const std::pair<const char*, double> kCounts[] = {
      {"5e9", 5e9}, {"1G", 1e9}, {"1.5T", 1.5e12}, {"0", 0}, {"2k", 2e3}};
  for (const auto& [text, value] : kCounts) {
    OperationCount count;
    std::string error;
    EXPECT_TRUE(AbslParseFlag(text, &count, &error)) << text;
    EXPECT_EQ(count.value, value) << text;
  }
}

TEST(FlagsTest, BadValuesAreSentences) {
  const auto error = [](std::string argument) {
    return std::string(ParseCommandLine({"program", argument}, Known()).status().message());
  };
  EXPECT_EQ(error("--test-size=many"), "--test-size is 'many'; must be a whole number");
  EXPECT_EQ(error("--test-factor=x"), "--test-factor is 'x'; must be a number");
  EXPECT_EQ(error("--test-switch=on-ish"), "--test-switch is 'on-ish'; must be true or false");
  EXPECT_EQ(error("--test-flops=-1"),
            "--test-flops is '-1'; must be a number, 0 or more, as in 5e9 or 5G");
  EXPECT_EQ(error("--test-size"), "--test-size has no value");
  const std::vector<std::string> next_is_a_flag = {"program", "--test-size", "--test-switch"};
  EXPECT_EQ(ParseCommandLine(next_is_a_flag, Known()).status().message(),
            "--test-size has no value");
  EXPECT_THAT(error("--test-sise=1"),
              HasSubstr("no flag is called --test-sise; the nearest is --test-size"));
  EXPECT_THAT(error("--test-hidden=1"), HasSubstr("no flag is called --test-hidden"));
}

}  // namespace
}  // namespace gridwise
