/// The plans of the problem sets are those in <target>_<set>.txt, so that a change of choice is
/// seen in review.

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/arch/parse_gfx.h"
#include "core/arch/target.h"
#include "gtest/gtest.h"
#include "tests/plans/plans.h"

namespace gridwise {
namespace {

class Plans : public testing::TestWithParam<const char*> {};

TEST_P(Plans, AreTheGoldenOnes) {
  const char* const set = GetParam();
  const char* const target = std::getenv("GRIDWISE_TEST_TARGET");
  const Gfx gfx = ParseGfx(target == nullptr ? "" : target).value();
  const std::string path = absl::StrCat("tests/plans/", Name(gfx), "_", set, ".txt");
  std::ifstream file(path, std::ios::binary);
  const std::string golden(std::istreambuf_iterator<char>(file), {});
  ASSERT_FALSE(golden.empty()) << "there is no " << path;
  const absl::StatusOr<std::string> plans = PlansOf(set, gfx);
  ASSERT_TRUE(plans.ok()) << plans.status();
  EXPECT_EQ(*plans, golden) << "`./bazelw run //tests/plans:update` writes what the planner "
                               "chooses; review the difference.";
}

INSTANTIATE_TEST_SUITE_P(Sets, Plans, testing::Values("retinanet", "regressions"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace gridwise
