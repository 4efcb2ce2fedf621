/// Runs the examples of the target's matrix unit as a user does.

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/base/shell.h"
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
  const std::string unit = target == "gfx942" || target == "gfx950" ? "xdl" : "wmma";
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
  EXPECT_GE(commands.size(), 20u);
  for (const std::string& command : commands) {
    const gridwise::ShellResult result = Example(absl::StrCat(command, " 1 2 0"));
    EXPECT_EQ(result.status, 0) << command << "\n" << result.out;
    EXPECT_THAT(result.out, HasSubstr("\nverified\n")) << command;
  }
}

TEST(ExamplesTest, TakeSizesAndTime) {
  const std::string conv = Commands().front(), gemm = Commands().back();
  const gridwise::ShellResult sizes =
      Example(absl::StrCat(conv, " 1 1 1 2 2 1 16 8 3 3 7 9 2 1 1 1 1 1 0 1"));
  EXPECT_EQ(sizes.status, 0) << sizes.out;
  EXPECT_THAT(sizes.out,
              HasSubstr("g2 n1 c16 k32 in 7x9 filter 3x3 stride 2x1 dilation 1x1 pad 1x1:0x1"));
  EXPECT_THAT(sizes.out, HasSubstr("time       "));
  const gridwise::ShellResult matrices = Example(absl::StrCat(gemm, " 1 1 0 33 40 17 3"));
  EXPECT_EQ(matrices.status, 0) << matrices.out;
  EXPECT_THAT(matrices.out, HasSubstr("batch 3 m 33 n 40 k 17 a row b col"));
  EXPECT_EQ(Example(absl::StrCat(conv, " 1 1 1 4")).status, 1);
  EXPECT_THAT(Example(absl::StrCat(conv, " 1 1 1 2 2")).out, HasSubstr("NDIM = 2 takes 3 or 20"));
}

}  // namespace
