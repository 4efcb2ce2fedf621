// SPDX-License-Identifier: MIT
#include "tools/gridwise/report/support.h"

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/arch/target.h"
#include "core/text/csv_table.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(SupportTableTest, IsTheOneOfTheReadme) {
  const absl::StatusOr<std::string> readme = ReadText("ck/README.md", "file");
  ASSERT_TRUE(readme.ok()) << readme.status();
  EXPECT_THAT(*readme, HasSubstr(absl::StrCat("\n\n", SupportTable("ck"), "\n")))
      << "put what `gridwise list support --family=ck` prints into ck/README.md";
}

// By hand, of what is known of the targets: an f8 of its own on each that has one, none on gfx1100
// and gfx90a, and no matrix instructions for f32 on RDNA, where vector FMAs serve.
TEST(SupportTableTest, SaysWhatTargetsHave) {
  const std::string table = SupportTable("ck");
  EXPECT_THAT(table, HasSubstr("| family | op | direction | type | gfx942 | gfx950 | gfx1100 | "));
  EXPECT_THAT(table,
              HasSubstr("| ck | `multiple_abd` | fwd | f8e4m3fnuz | all |  |  |  |  |  |\n"));
  EXPECT_THAT(table,
              HasSubstr("| ck | `multiple_abd` | fwd | f32 | all | all | all | all | all |  |\n"));
  EXPECT_THAT(table,
              HasSubstr("| ck | `batched_gemm` | gemm | f8e4m3fn |  | all |  | all |  |  |\n"));
  EXPECT_THAT(table,
              HasSubstr("| ck | `multiple_abd` | fwd | f8e5m2fnuz | all |  |  |  |  |  |\n"));
}

TEST(SupportTableTest, IsOfADirectionAndATarget) {
  const std::string table = SupportTable("ck", "gemm", Gfx::k950);
  EXPECT_THAT(table,
              StartsWith("| family | op | direction | type | gfx950 |\n|---|---|---|---|---|\n"
                         "| ck | `batched_gemm` | gemm | "));
  EXPECT_THAT(table, HasSubstr("| ck | `batched_gemm` | gemm | f8e4m3fn | all |\n"));
  EXPECT_THAT(table, Not(AnyOf(HasSubstr("fnuz"), HasSubstr("fwd"), HasSubstr("bwd"))));
  const std::string forward = SupportTable("", "fwd", Gfx::kSm90a);
  EXPECT_THAT(forward, HasSubstr("| fwd | f16 | all |\n"));
  EXPECT_THAT(forward, Not(AnyOf(HasSubstr("bwd"), HasSubstr("gemm"), HasSubstr("| tile"))));
}

}  // namespace
}  // namespace gridwise
