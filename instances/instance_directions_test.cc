// SPDX-License-Identifier: MIT
// The regular expressions by which --//tools/config:directions leaves instances out know the same
// instances as the families do.
#include <fstream>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

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

/// The hashes of a list's lines that are instances and match; `codes` has those of all instances,
/// in the list's order.
std::set<std::string> MatchingHashes(const std::string& list, const std::string& codes,
                                     const std::string& pattern) {
  const std::regex is_instance("^[A-Z][A-Z0-9_]*[(]", std::regex::extended);
  const std::regex is_wanted(pattern, std::regex::extended);
  std::ifstream lines(list), hashes(codes);
  std::set<std::string> matching;
  for (std::string line, code; std::getline(lines, line);) {
    if (!std::regex_search(line, is_instance) || !std::getline(hashes, code)) continue;
    const std::vector<std::string> quoted = absl::StrSplit(code, '"');
    if (quoted.size() == 3 && std::regex_search(line, is_wanted)) matching.insert(quoted[1]);
  }
  return matching;
}

/// The hashes of a family's instances, which their kernels' names end with.
void AddHashes(const KernelFamily& family, Direction direction, Gfx gfx,
               std::set<std::string>& hashes) {
  for (const InstanceInfo& instance : family.Instances(direction, gfx)) {
    const std::string& symbol = instance.code.symbol;
    hashes.insert(symbol.substr(symbol.rfind('_') + 1));
  }
}

TEST(InstanceDirections, AreThoseOfTheFamilies) {
  int lists = 0;
  for (const KernelFamily* family : Families()) {
    const std::string folder = absl::StrCat("instances/", family->name(), "/");
    std::ifstream directions(folder + "instance_directions.txt");
    ASSERT_TRUE(directions.is_open()) << folder;
    std::string text;
    while (std::getline(directions, text)) {
      const std::pair<std::string, std::string> item =
          absl::StrSplit(text, absl::MaxSplits(' ', 1));
      const std::optional<Direction> direction = ParseDirection(item.first);
      ASSERT_TRUE(direction.has_value()) << text;
      for (const Gfx gfx : kAllGfx) {
        std::set<std::string> expected;
        AddHashes(*family, *direction, gfx, expected);
        if (family->name() == "ck") AddHashes(ck::Gemms(), *direction, gfx, expected);
        if (expected.empty()) continue;
        ++lists;
        // A line may match and, for another reason, be no instance of the direction.
        const std::string list = absl::StrCat(folder, Name(gfx), "_instances.inc");
        const std::string codes = absl::StrCat(folder, Name(gfx), "_codes.inc");
        EXPECT_THAT(MatchingHashes(list, codes, item.second), IsSupersetOf(expected))
            << list << " " << item.first;
      }
    }
  }
  EXPECT_GE(lists, 3 * (4 + 5 + 4 + 1));  // by direction: tile's, direct's, ck's and hopper's
}

}  // namespace
}  // namespace gridwise
