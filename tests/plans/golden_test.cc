// SPDX-License-Identifier: MIT
/// The plans of the problem sets are those in <target>_<set>.txt, so that a change of choice is
/// seen in review. Those of all targets, whichever this program has kernels for.

#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/arch/target.h"
#include "core/conv/direction.h"
#include "core/text/csv_table.h"
#include "gtest/gtest.h"
#include "tests/pages/figures.h"
#include "tests/plans/plans.h"

namespace gridwise {
namespace {

class Plans : public testing::TestWithParam<std::tuple<const char*, Gfx>> {};

TEST_P(Plans, AreTheGoldenOnes) {
  const auto [set, gfx] = GetParam();
  const std::string path = absl::StrCat("tests/plans/", Name(gfx), "_", set, ".txt");
  const absl::StatusOr<std::string> golden = ReadText(path, "the golden plans");
  ASSERT_TRUE(golden.ok()) << golden.status();
  const absl::StatusOr<std::string> plans = PrintPlans(set, gfx);
  ASSERT_TRUE(plans.ok()) << plans.status();
  EXPECT_EQ(*plans, *golden) << "`./bazelw run //tests/plans:update` writes what the planner "
                                "chooses; review the difference.";
}

/// How many layers of RetinaNet get an instance of the classic family, whose names alone begin with
/// an op: its page has the number after each mean, of f16 and f32 in three directions.
TEST(ClassicFamily, GetsAsManyLayersAsItsPageSays) {
  for (const Gfx gfx : kAmdGfx) {
    const absl::StatusOr<std::string> plans =
        ReadText(absl::StrCat("tests/plans/", Name(gfx), "_retinanet.txt"), "the golden plans");
    ASSERT_TRUE(plans.ok()) << plans.status();
    const absl::StatusOr<std::string> page = ReadText("ck/README.md", "the page");
    ASSERT_TRUE(page.ok()) << page.status();
    const absl::StatusOr<std::vector<Figure>> stated = FindFigures(
        *page, absl::StrCat("| ", Name(gfx), " |",
                            absl::StrJoin(std::vector<std::string>(6, " {any}, {} |"), "")));
    ASSERT_TRUE(stated.ok()) << stated.status();
    std::size_t figure = 0;
    for (const std::string_view type : {"f16", "f32"}) {
      for (const Direction direction : kAllDirections) {
        const std::string before = absl::StrCat(", ", Name(direction), ", ", type, ": ");
        int count = 0, all = 0;
        for (const std::string_view plan : absl::StrSplit(*plans, '\n')) {
          const std::size_t at = plan.find(before);
          if (at == plan.npos) continue;
          ++all;
          count += !plan.substr(at + before.size()).starts_with(type);
        }
        EXPECT_GT(all, 30);
        EXPECT_EQ((*stated)[figure++].value, count) << Name(gfx) << before;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, Plans,
                         testing::Combine(testing::Values("retinanet", "regressions"),
                                          testing::ValuesIn(kAllGfx)),
                         [](const auto& info) {
                           return absl::StrCat(std::get<0>(info.param), "_",
                                               Name(std::get<1>(info.param)));
                         });

}  // namespace
}  // namespace gridwise
