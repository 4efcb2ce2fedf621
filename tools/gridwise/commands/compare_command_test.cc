// SPDX-License-Identifier: MIT
/// `gridwise compare`, as a user runs it.

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/arch/device_facts.h"
#include "core/arch/parse_gfx.h"
#include "core/arch/target.h"
#include "core/text/shell.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Support/JSON.h"
#include "tools/gridwise/cli/exit_code.h"
#include "tools/gridwise/cli/run_gridwise.h"
#include "tools/page/page_data.h"

namespace gridwise {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// What the last line says of a device that nobody has compared with measurements; "" of others.
std::string CalibrationNote() {
  const Product& product = ProductsOf(*ParseGfx(Target())).front();
  if (product.like.empty()) return "";
  return absl::StrCat("not calibrated for ", product.name, ": by facts of ", product.like,
                      " where no others are known; ");
}

TEST(CompareCommand, ComparesTwoChoices) {
  const std::string compare =
      absl::StrCat("compare --problems=", SmallSet(), " --device=", Target(), " ");
  const std::string csv = testing::TempDir() + "/compare.csv";
  const ShellResult result = Gridwise(absl::StrCat(
      compare, "--a=family=ck --b=family=tile --direction=bwd_weight --verify --csv=", csv));
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr(" valu/mma)"), HasSubstr("3 problems, of which both"),
                    HasSubstr("geometric mean of a/b: "),
                    HasSubstr(absl::StrCat("estimates, not measurements; ", CalibrationNote(),
                                           "all results are right."))));
  EXPECT_EQ(CountLines(ReadText(csv)), 4);
  const ShellResult same = Gridwise(compare + "--a=splits=1 --b=splits=1");
  EXPECT_THAT(same.out, AllOf(HasSubstr("equal on 7"), HasSubstr("geometric mean of a/b: 1.000")));
  const ShellResult none =
      Gridwise(compare + "--a=instance=best --direction=bwd_weight --problem=a");
  EXPECT_THAT(none.out, HasSubstr("a: instance is best; must be one of "));
  ExpectRefusal(compare + "--a=fastest", "a choice is 'fastest'; must be family=, op=");
  ExpectRefusal(compare + "--a=family=foo --b=family=ck", "a: family is foo; must be one of ");
  ExpectRefusal(compare + "--b=op=cshuffle", "b: op is cshuffle; must be one of ");
  ExpectRefusal(compare, "neither --a nor --b is given");
}

TEST(CompareCommand, WritesTablesToStdout) {
  const ShellResult result = Shell(
      absl::StrCat("tools/gridwise/gridwise compare --problems=", SmallSet(),
                   " --device=", Target(), " --direction=fwd --a=family=ck --csv=- 2>", Unread()));
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(result.out, ::testing::StartsWith("problem,direction,sizes,"));
  EXPECT_EQ(CountLines(result.out), 3) << result.out;
}

TEST(CompareCommand, RepeatsAPublishedComparison) {
  const std::string compare =
      absl::StrCat("compare --published=sub_gemms --problem=2x2.s2.d2 --device=", Target(), " ");
  const std::string page = testing::TempDir() + "/compare.html";
  const ShellResult verified = Gridwise(absl::StrCat(compare, "--verify --page=", page));
  EXPECT_EQ(verified.status, kSuccess) << verified.out;
  EXPECT_THAT(verified.out, AllOf(HasSubstr("all results are right"),
                                  HasSubstr("Published: of 25 shapes with stride > 1")));
  const absl::StatusOr<llvm::json::Value> data = PageData(ReadText(page));
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_EQ(data->getAsObject()->getBoolean("published"), true);
  EXPECT_EQ(data->getAsObject()->getArray("rows")->size(), 1u);
  const ShellResult timed = Gridwise(compare + "--time");
  EXPECT_EQ(timed.status, kSuccess) << timed.out;
  EXPECT_THAT(timed.out, HasSubstr("by the simulator's clock, not measurements"));
  ExpectRefusal(compare + "--time --verify", "--time computes at most a part of the result");
  ExpectRefusal("compare --published=best", "--published is 'best'; must be one of sub_gemms");
}

}  // namespace
}  // namespace gridwise
