// SPDX-License-Identifier: MIT
/// Runs the examples of the target's matrix unit as a user does.

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "core/text/shell.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace {

using ::testing::HasSubstr;

/// With stdout and stderr.
gridwise::ShellResult Example(const std::string& command) {
  return gridwise::Shell(absl::StrCat(command, " 2>&1"));
}

std::string Env(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The command lines of this target's examples, but for the numbers.
std::vector<std::string> Commands() {
  const std::string target = Env("GRIDWISE_TEST_TARGET");
  const std::string unit = absl::StartsWith(target, "gfx9") ? "xdl" : "wmma";
  std::vector<std::string> commands;
  const std::vector<std::string> lines = absl::StrSplit(Env("EXAMPLES"), ';');
  for (const std::string& line : lines) {
    const std::vector<std::string> words = absl::StrSplit(line, absl::MaxSplits(' ', 2));
    if (words.size() != 3 || words[0] != unit) continue;
    commands.push_back(absl::StrCat("ck/examples/", words[1], " ", words[2], " --device=", target));
  }
  return commands;
}

TEST(ExamplesTest, ComputeWhatTheySay) {
  const std::vector<std::string> commands = Commands();
  EXPECT_GE(commands.size(), 38u);
  for (const std::string& command : commands) {
    const gridwise::ShellResult result = Example(absl::StrCat(command, " 1 2 0"));
    EXPECT_EQ(result.status, 0) << command << "\n" << result.out;
    EXPECT_THAT(result.out, HasSubstr("\nverified\n")) << command;
  }
}

/// The line of a result that begins so.
std::string LineOf(const std::string& out, const std::string& beginning) {
  for (const absl::string_view line : absl::StrSplit(out, '\n')) {
    if (absl::StartsWith(line, beginning)) return std::string(line);
  }
  return "";
}

TEST(ExamplesTest, TakeSizes) {
  const std::string conv = Commands().front(), gemm = Commands().back();
  const gridwise::ShellResult sizes =
      Example(absl::StrCat(conv, " 1 1 0 2 2 1 16 8 3 3 7 9 2 1 1 1 1 1 0 1"));
  EXPECT_EQ(sizes.status, 0) << sizes.out;
  EXPECT_THAT(sizes.out,
              HasSubstr("g2 n1 c16 k32 in 7x9 filter 3x3 stride 2x1 dilation 1x1 pad 1x1:0x1"));
  const gridwise::ShellResult matrices = Example(absl::StrCat(gemm, " 1 1 0 33 40 17 3"));
  EXPECT_EQ(matrices.status, 0) << matrices.out;
  EXPECT_THAT(matrices.out, HasSubstr("batch 3 m 33 n 40 k 17 a row b col"));
}

// Events of the simulator tell how long this machine takes, which is never twice the same; its
// clock tells how long the GPU takes, which is always.
TEST(ExamplesTest, TellTheTimeOfTheDevice) {
  for (const std::string& example : {Commands().front(), Commands().back()}) {
    const gridwise::ShellResult first = Example(absl::StrCat(example, " 1 2 1"));
    EXPECT_EQ(first.status, 0) << first.out;
    EXPECT_THAT(first.out, HasSubstr("\nverified\n"));
    const std::string time = LineOf(first.out, "time ");
    EXPECT_THAT(time, HasSubstr(", by the simulator's clock"));
    EXPECT_EQ(LineOf(Example(absl::StrCat(example, " 0 1 1")).out, "time "), time);
  }
}

TEST(ExamplesTest, HaveTheFunctionsOfTheirNames) {
  const auto run = [](const std::string& words) {
    for (const std::string& command : Commands()) {
      if (absl::StrContains(command, words)) return Example(command + " 0 1 0").out;
    }
    return std::string("no example");
  };
  EXPECT_THAT(run("--op=multiple_d --d0=add"), HasSubstr(" add 1 "));
  EXPECT_THAT(run("--direction=fwd --op=multiple_abd --alpha=2"), HasSubstr(" alpha 2"));
  EXPECT_THAT(run("--direction=bwd_data --op=multiple_d --alpha=2 --d0=add:0.5"),
              HasSubstr(" alpha 2 add 0.5 "));
  EXPECT_THAT(run("--direction=bwd_weight --op=multiple_d --alpha=2 --d0=add:0.5"),
              HasSubstr(" alpha 2 add 0.5 "));
}

TEST(ExamplesTest, RefuseOtherWords) {
  const std::string conv = Commands().front(), gemm = Commands().back();
  for (const auto& [numbers, reason] : {
           std::pair("1 x 1", "'x' is no whole number"),
           std::pair("1 2.5 1", "'2.5' is no whole number"),
           std::pair("--help", "'--help' is no whole number"),
           std::pair("--init=2", "none of --type=, --device=, --direction="),
           std::pair("2 1 1", "VERIFY is 2; must be 0 to 1"),
           std::pair("1 3 1", "INIT is 3; must be 0 to 2"),
           std::pair("1 1 -1", "TIME is -1; must be 0 to 1"),
           std::pair("1 1 1 4", "NDIM is 4; must be 1 to 3"),
           std::pair("1 1 1 2 2", "NDIM = 2 takes 3 or 20"),
           std::pair("1 1 0 --d0=sub", "--d0 is 'sub'; must be add or mul"),
           std::pair("1 1 0 --alpha=two", "--alpha is 'two'; must be a number"),
       }) {
    const gridwise::ShellResult result = Example(absl::StrCat(conv, " ", numbers));
    EXPECT_EQ(result.status, 1) << numbers;
    EXPECT_THAT(result.out, HasSubstr(reason)) << numbers;
  }
  EXPECT_THAT(Example(absl::StrCat(gemm, " 1 1 0 1 2 3 4 5")).out,
              HasSubstr("there are 8 numbers; at most 7 are taken"));
}

}  // namespace
