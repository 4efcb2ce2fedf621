// SPDX-License-Identifier: MIT
// Pages state what the commands say: those of figures.txt that are of this tier and target.

#include "tests/pages/figures.h"

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/strip.h"
#include "core/text/shell.h"
#include "gtest/gtest.h"
#include "tools/gridwise/cli/exit_code.h"
#include "tools/gridwise/cli/run_gridwise.h"

namespace gridwise {
namespace {

TEST(Figures, AreWhatTheCommandsSay) {
  const absl::StatusOr<std::vector<FigureCommand>> commands =
      ParseFigureCommands(ReadText("tests/pages/figures.txt"));
  ASSERT_TRUE(commands.ok()) << commands.status();
  const char* const tier = std::getenv("GRIDWISE_FIGURES");
  ASSERT_NE(tier, nullptr);
  int places = 0;
  for (const FigureCommand& command : *commands) {
    if (command.tier != tier || command.target != Target()) continue;
    const ShellResult result = Gridwise(command.arguments);
    EXPECT_EQ(result.status, kSuccess) << command.arguments << "\n" << result.out;
    for (const FigurePlace& place : command.places) {
      const std::string page = ReadText(place.page);
      std::string_view title = place.on_page;
      const absl::Status status = absl::ConsumePrefix(&title, kTable)
                                      ? CompareTable(page, title, result.out)
                                      : CompareFigures(page, result.out, place);
      EXPECT_TRUE(status.ok()) << place.page << ": " << status.message() << "\ngridwise "
                               << command.arguments;
      ++places;
    }
  }
  EXPECT_GT(places, 0) << "figures.txt has nothing of " << tier << " on " << Target();
}

}  // namespace
}  // namespace gridwise
