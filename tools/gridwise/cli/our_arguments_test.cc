// SPDX-License-Identifier: MIT
#include "tools/gridwise/cli/our_arguments.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<std::vector<std::string>> Ours(std::string_view line) {
  return InOurWords(std::vector<std::string>(absl::StrSplit(line, ' ')));
}

TEST(InOurWords, TakesValuesForWhatTheyPlainlyMean) {
  for (const auto& [other, ours] : {
           std::pair("gridwise run bwd-data --type=fp16", "gridwise run bwd_data --type=f16"),
           {"gridwise run forward --type half", "gridwise run fwd --type f16"},
           {"gridwise explain dgrad --layout=NHWGC --weight-layout=GKYXC",
            "gridwise explain bwd_data --layout=nhwgc --weight-layout=gkyxc"},
           {"gridwise run fwd --type=int8 --out-type=fp32",
            "gridwise run fwd --type=i8 --out-type=f32"},
           {"gridwise sweep --direction=wrw --op=TwoStage --family=classic",
            "gridwise sweep --direction=bwd_weight --op=two_stage --family=ck"},
           {"gridwise compare --a=family=classic,op=TwoStage+wavelet --b=family=CK_Tile",
            "gridwise compare --a=family=ck,op=two_stage+wavelet --b=family=tile"},
           {"gridwise instances --filter=x --count-only --export-json=f",
            "gridwise instances --where=x --count --export=f"},
           {"gridwise sweep --variant=forward --output o.csv",
            "gridwise sweep --direction=fwd --csv o.csv"},
       }) {
    const auto words = Ours(other);
    ASSERT_TRUE(words.ok()) << words.status();
    EXPECT_EQ(absl::StrJoin(*words, " "), ours);
  }
}

TEST(InOurWords, LeavesTheRestAsItIs) {
  for (const char* line :
       {"gridwise", "gridwise run fwd --n=1 --filter=3x3 --d0=add:0.5 --instance=F16 --verify",
        "gridwise run gemm --a=row --b=col:72 --m=3", "gridwise run fwd --type=f64",
        "gridwise run fwd --type", "gridwise compile half --direction=fwd",
        "gridwise merge a.csv forward -- --type=fp16", "gridwise run sideways"}) {
    const auto words = Ours(line);
    ASSERT_TRUE(words.ok()) << words.status();
    EXPECT_EQ(absl::StrJoin(*words, " "), line);
  }
}

TEST(InOurWords, SaysWhatAFlagIsCalledNow) {
  for (const auto& [line, sentence] : {
           std::pair("gridwise run fwd --row=f16_t64x64x32", "--row is now --instance"),
           {"gridwise sweep --all-rows --time", "--all-rows is now --all-instances"},
           {"gridwise compile --rows rows.json", "--rows is now --instances"},
       }) {
    EXPECT_EQ(Ours(line).status().message(), sentence);
  }
}

TEST(InOurWords, SaysWhatIsSomethingElse) {
  const auto error = [](std::string_view line) {
    return std::string(Ours(line).status().message());
  };
  EXPECT_THAT(error("gridwise run fwd --op=scale"), HasSubstr("every op: --alpha=2"));
  EXPECT_THAT(error("gridwise run fwd --op=Bilinear"), HasSubstr("--alpha=2 --d0=add:0.5"));
  EXPECT_THAT(error("gridwise run fwd --op wmma"),
              HasSubstr("the matrix unit of --device=gfx1100"));
  EXPECT_THAT(error("gridwise run bwd"), HasSubstr("'bwd' is either bwd_data or bwd_weight"));
  EXPECT_THAT(error("gridwise run fwd --weight-layout=GKCYX"), HasSubstr("packed by channels"));
  EXPECT_THAT(error("gridwise compare --a=op=scale"), HasSubstr("every op: --alpha=2"));
}

}  // namespace
}  // namespace gridwise
