// The regular expressions by which --//tools/config:directions leaves rows out know the same rows
// as the families do.
#include <fstream>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/planning/family.h"
#include "gmock/gmock.h"
#include "gridwise/families.h"
#include "gtest/gtest.h"
#include "instances/ck/family.h"

namespace gridwise {
namespace {

using ::testing::IsSupersetOf;

/// The numbers of a list's lines that are rows and match.
std::set<int> MatchingLines(const std::string& list, const std::string& pattern) {
  const std::regex is_row("^[A-Z][A-Z0-9_]*[(]", std::regex::extended);
  const std::regex is_wanted(pattern, std::regex::extended);
  std::ifstream file(list);
  std::set<int> lines;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (std::regex_search(line, is_row) && std::regex_search(line, is_wanted)) lines.insert(number);
  }
  return lines;
}

/// The lines that a family's rows are compiled from, which their kernels' names end with.
void AddLines(const KernelFamily& family, Direction direction, Gfx gfx, std::set<int>& lines) {
  for (const RowInfo& row : family.Rows(direction, gfx)) {
    const std::string& symbol = row.code.symbol;
    int line = 0;
    ASSERT_TRUE(absl::SimpleAtoi(symbol.substr(symbol.rfind('_') + 1), &line)) << symbol;
    lines.insert(line);
  }
}

TEST(RowDirections, AreThoseOfTheFamilies) {
  int lists = 0;
  for (const KernelFamily* family : Families()) {
    const std::string folder = absl::StrCat("instances/", family->name(), "/");
    std::ifstream directions(folder + "row_directions.txt");
    ASSERT_TRUE(directions.is_open()) << folder;
    std::string text;
    while (std::getline(directions, text)) {
      const std::pair<std::string, std::string> item =
          absl::StrSplit(text, absl::MaxSplits(' ', 1));
      const std::optional<Direction> direction = ParseDirection(item.first);
      ASSERT_TRUE(direction.has_value()) << text;
      for (const Gfx gfx : kAllGfx) {
        std::set<int> expected;
        AddLines(*family, *direction, gfx, expected);
        if (family->name() == "ck") AddLines(ck::Gemms(), *direction, gfx, expected);
        if (expected.empty()) continue;
        ++lists;
        // A line may match and, for another reason, be no row of the direction.
        const std::string list = absl::StrCat(folder, Name(gfx), ".inc");
        EXPECT_THAT(MatchingLines(list, item.second), IsSupersetOf(expected))
            << list << " " << item.first;
      }
    }
  }
  EXPECT_GE(lists, 3 * (4 + 5 + 4 + 1));  // by direction: tile's, direct's, ck's and hopper's
}

}  // namespace
}  // namespace gridwise
