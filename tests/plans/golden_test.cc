/// The plans of the problem sets are those in <target>_<set>.txt, so that a change of choice is
/// seen in review. Those of all targets, whichever this program has kernels for.

#include <fstream>
#include <iterator>
#include <string>
#include <tuple>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/arch/target.h"
#include "gtest/gtest.h"
#include "tests/plans/plans.h"

namespace gridwise {
namespace {

class Plans : public testing::TestWithParam<std::tuple<const char*, Gfx>> {};

TEST_P(Plans, AreTheGoldenOnes) {
  const auto [set, gfx] = GetParam();
  const std::string path = absl::StrCat("tests/plans/", Name(gfx), "_", set, ".txt");
  std::ifstream file(path, std::ios::binary);
  const std::string golden(std::istreambuf_iterator<char>(file), {});
  ASSERT_FALSE(golden.empty()) << "there is no " << path;
  const absl::StatusOr<std::string> plans = PlansOf(set, gfx);
  ASSERT_TRUE(plans.ok()) << plans.status();
  EXPECT_EQ(*plans, golden) << "`./bazelw run //tests/plans:update` writes what the planner "
                               "chooses; review the difference.";
}

INSTANTIATE_TEST_SUITE_P(Sets, Plans,
                         testing::Combine(testing::Values("retinanet", "regressions"),
                                          testing::ValuesIn(kAmdGfx)),
                         [](const auto& info) {
                           return absl::StrCat(std::get<0>(info.param), "_",
                                               Name(std::get<1>(info.param)));
                         });

}  // namespace
}  // namespace gridwise
