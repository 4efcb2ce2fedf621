// SPDX-License-Identifier: MIT
/// Commands that pages for users show do what they say there.

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/text/shell.h"
#include "gtest/gtest.h"
#include "tools/gridwise/cli/exit_code.h"
#include "tools/gridwise/cli/run_gridwise.h"

namespace gridwise {
namespace {

/// What stands behind "gridwise" in the lines of a page's blocks of shell.
std::vector<std::string> ReadCommands(const std::string& page) {
  std::vector<std::string> commands;
  bool is_shell = false;
  for (std::string_view line : absl::StrSplit(page, '\n')) {
    if (line.starts_with("```")) is_shell = line == "```sh";
    if (is_shell && absl::ConsumePrefix(&line, "gridwise ")) commands.emplace_back(line);
  }
  return commands;
}

TEST(Pages, CommandsForThoseWhoComeFromElsewhereWork) {
  const std::vector<std::string> commands = ReadCommands(ReadText("docs/coming-from.md"));
  EXPECT_GE(commands.size(), 4u);
  for (const std::string& command : commands) {
    const ShellResult result = Gridwise(command);
    EXPECT_EQ(result.status, kSuccess) << command << "\n" << result.out;
  }
}

}  // namespace
}  // namespace gridwise
