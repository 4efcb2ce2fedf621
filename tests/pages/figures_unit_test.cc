// SPDX-License-Identifier: MIT
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/text/csv_table.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/pages/figures.h"

namespace gridwise {
namespace {

using ::testing::HasSubstr;

std::vector<double> Values(std::string_view text, std::string_view pattern) {
  const absl::StatusOr<std::vector<Figure>> figures = FindFigures(text, pattern);
  EXPECT_TRUE(figures.ok()) << figures.status();
  std::vector<double> values;
  if (figures.ok()) {
    for (const Figure& figure : *figures) values.push_back(figure.value);
  }
  return values;
}

absl::Status Compare(std::string_view page, std::string_view output, std::string on_page,
                     std::string in_output) {
  return CompareFigures(page, output, {"", std::move(on_page), std::move(in_output)});
}

TEST(FindFigures, ReadsNumbersWhereThePatternHasThem) {
  EXPECT_EQ(Values("takes 1,024 us, 97.5 % of it.", "takes {} us, {} %"),
            (std::vector<double>{1024, 97.5}));
  EXPECT_EQ(Values("a 1\n  b   2", "a {} b {}"), (std::vector<double>{1, 2}));
  EXPECT_EQ(Values("x | 3 | 4 | 5 |", "x | {any} | {} |"), std::vector<double>{4});
  EXPECT_EQ(Values("x: 1 y 2; z: 3 y 4", "z: ... y {}"), std::vector<double>{4});
  // The end of a sentence is no fraction, and what follows a comma no part of a number.
  EXPECT_EQ(Values("of 12. Then", "of {}. Then"), std::vector<double>{12});
  EXPECT_EQ(Values("of 12, 13 each", "of {}, {} each"), (std::vector<double>{12, 13}));
}

TEST(FindFigures, WantsOnePlace) {
  EXPECT_THAT(FindFigures("1 us", "{} ms").status().message(), HasSubstr("must begin with text"));
  EXPECT_THAT(FindFigures("a 1 us", "a {} ms").status().message(), HasSubstr("it is in 0"));
  EXPECT_THAT(FindFigures("a 1, a 2", "a {}").status().message(), HasSubstr("it is in 2"));
  EXPECT_FALSE(FindFigures("a 1", "a {y}").ok());
}

TEST(CompareFigures, AllowsTwoPercentAndTheDigitsThatAreLeftOut) {
  EXPECT_TRUE(Compare("a 102", "b 100", "a {}", "b {}").ok());
  EXPECT_FALSE(Compare("a 104", "b 100", "a {}", "b {}").ok());
  EXPECT_TRUE(Compare("a 0.02", "b 0.0151", "a {}", "b {}").ok());
  EXPECT_FALSE(Compare("a 0.020", "b 0.0151", "a {}", "b {}").ok());
  EXPECT_TRUE(Compare("a 0.022", "b 0.023", "a {}", "b {}").ok()) << "0.0225 and a little more";
  EXPECT_FALSE(Compare("a 0.022", "b 0.024", "a {}", "b {}").ok());
  EXPECT_FALSE(Compare("a 4", "b 5", "a {}", "b {}").ok());
  EXPECT_TRUE(Compare("a 71.1 us", "b 0.07108 ms", "a {x1000} us", "b {} ms").ok());
  const absl::Status status = Compare("a 1, 75", "b 1, 71", "a {}, {}", "b {}, {}");
  EXPECT_THAT(status.message(), HasSubstr("figure 2 is 75; the command says 71"));
  EXPECT_FALSE(Compare("a 1", "b 1, 1", "a {}", "b {}, {}").ok());
  EXPECT_FALSE(Compare("a", "a", "a", "a").ok());
}

TEST(CompareTable, WantsEveryLineOfTheOutputInTheSection) {
  const std::string_view output = "some words 7\n| | a |\n|---|---|\n| `l2.x` | 10.0 ms b |\n";
  const std::string page = "\n## T\n\n| `l2.x` | 10.1 ms b |\n\n## U\n\n| `l2.x` | 11.1 ms b |\n";
  EXPECT_TRUE(CompareTable(page, "## T", output).ok());
  EXPECT_FALSE(CompareTable(page, "## U", output).ok());
  EXPECT_FALSE(CompareTable(page, "## V", output).ok());
  EXPECT_FALSE(CompareTable(page, "## T", "| `l2.x` | 10.0 ms a |\n").ok());
  EXPECT_FALSE(CompareTable(page, "## T", "nothing").ok());
}

TEST(ParseFigureCommands, ReadsCommandsPagesAndPatterns) {
  const absl::StatusOr<std::vector<FigureCommand>> commands = ParseFigureCommands(
      "// words\nsmoke gfx942: run fwd --n=2: x\nA.md\n  a {}\n  b {} => c {}\nB.md\n  d {}\n");
  ASSERT_TRUE(commands.ok()) << commands.status();
  ASSERT_EQ(commands->size(), 1u);
  EXPECT_EQ(commands->front().arguments, "run fwd --n=2: x");
  ASSERT_EQ(commands->front().places.size(), 3u);
  EXPECT_EQ(commands->front().places[0].in_output, "a {}");
  EXPECT_EQ(commands->front().places[1].in_output, "c {}");
  EXPECT_EQ(commands->front().places[2].page, "B.md");
  EXPECT_FALSE(ParseFigureCommands("  a {}").ok());
  EXPECT_FALSE(ParseFigureCommands("weekly gfx942: run").ok());
}

/// Every figure of the file stands on its page, those of nightly commands too.
TEST(Figures, AreOnThePages) {
  const absl::StatusOr<std::string> file = ReadText("tests/pages/figures.txt", "the commands");
  ASSERT_TRUE(file.ok()) << file.status();
  const absl::StatusOr<std::vector<FigureCommand>> commands = ParseFigureCommands(*file);
  ASSERT_TRUE(commands.ok()) << commands.status();
  int places = 0;
  for (const FigureCommand& command : *commands) {
    EXPECT_FALSE(command.places.empty()) << command.arguments;
    for (const FigurePlace& place : command.places) {
      const absl::StatusOr<std::string> text = ReadText(place.page, "the page");
      ASSERT_TRUE(text.ok()) << text.status();
      if (place.on_page.starts_with(kTable)) {
        EXPECT_THAT(*text, HasSubstr("\n" + place.on_page.substr(kTable.size()) + "\n"));
      } else {
        EXPECT_TRUE(FindFigures(*text, place.on_page).ok())
            << place.page << ": " << FindFigures(*text, place.on_page).status();
      }
      ++places;
    }
  }
  EXPECT_GT(places, 50);
}

}  // namespace
}  // namespace gridwise
