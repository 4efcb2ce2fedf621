// SPDX-License-Identifier: MIT
#include "tools/gridwise/arguments/our_arguments.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
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

TEST(InOurWords, TakesSizesInOtherWords) {
  const auto ours = [](std::vector<std::string> words) {
    words.insert(words.begin(), "gridwise");
    const auto read = InOurWords(std::move(words));
    return read.ok() ? absl::StrJoin(*read, " ") : std::string(read.status().message());
  };
  EXPECT_EQ(ours({"run", "fwd", "--padding=same", "--kernel-size", "(3, 3)", "--verify"}),
            "gridwise run fwd --pad=same --filter=3x3 --verify");
  EXPECT_EQ(ours({"sweep", "--pads=0,0,1,1", "--strides=2,2", "--group=4", "--in=8x8"}),
            "gridwise sweep --pad=0x0 --pad-end=1x1 --stride=2x2 --groups=4 --in=8x8");
  EXPECT_EQ(ours({"explain", "fwd", "--n=8", "--problem=Conv2d(3, 64, kernel_size=(7, 7))"}),
            "gridwise explain --c=3 --k=64 --filter=7x7 fwd --n=8");
  EXPECT_EQ(ours({"run", "--problem", "ConvTranspose1d(3, 64, 2, dtype=torch.half)", "--in=5"}),
            "gridwise run --c=3 --k=64 --filter=2 --type=f16 conv_transpose --in=5");
  EXPECT_EQ(ours({"run", "forward", "--problem=ConvTranspose1d(3, 64, 2)"}),
            "gridwise run --c=3 --k=64 --filter=2 conv_transpose");
  EXPECT_EQ(ours({"run", "--in", "5", "--problem=ConvTranspose1d(3, 64, 2)"}),
            "gridwise run --c=3 --k=64 --filter=2 conv_transpose --in 5");
  EXPECT_EQ(ours({"run", "--in", "5", "fprop", "--problem=ConvTranspose1d(3, 64, 2)"}),
            "gridwise run --c=3 --k=64 --filter=2 --in 5 conv_transpose");
  EXPECT_THAT(ours({"run", "bwd_data", "--problem=ConvTranspose1d(3, 64, 2)"}),
              HasSubstr("whose direction is 'bwd_data'; must be conv_transpose"));
  EXPECT_THAT(ours({"sweep", "--problem=ConvTranspose1d(3, 64, 2)"}),
              HasSubstr("sweep takes no transposed convolution"));
  for (const std::string_view wrong : {"x", "2x", "2,,2", "(2", "(2]"}) {  // for the flag to refuse
    EXPECT_THAT(ours({"run", "fwd", absl::StrCat("--stride=", wrong)}),
                "gridwise run fwd --stride=" + absl::StrReplaceAll(wrong, {{",", "x"}}));
  }
  EXPECT_EQ(ours({"import", "--padding=same"}), "gridwise import --padding=same");
}

TEST(InOurWords, JoinsTheWordsOfMIOpenDriver) {
  for (const auto& [other, ours] : {
           std::pair("gridwise run ./bin/MIOpenDriver convfp16 -n 32 --in_h 8 -F 1 -V 1 --verify",
                     "gridwise run --verify --problem=MIOpenDriver convfp16 -n 32 --in_h 8 -F 1 "
                     "-V 1"),
           {"gridwise sweep --time conv -c 4 --time 1 -S -1 --device=MI300X",
            "gridwise sweep --time --device=MI300X --problem=MIOpenDriver conv -c 4 --time 1 -S "
            "-1"},
           {"gridwise explain fwd convbfp16 -m trans --n=8 --time",
            "gridwise explain fwd --n=8 --time --problem=MIOpenDriver convbfp16 -m trans"},
           {"gridwise run conv -c 4 --verify bwd_data",
            "gridwise run --verify bwd_data --problem=MIOpenDriver conv -c 4"},
           {"gridwise network conv", "gridwise network conv"},
           {"gridwise run fwd --problem conv", "gridwise run fwd --problem conv"},
       }) {
    const auto words = Ours(other);
    ASSERT_TRUE(words.ok()) << words.status();
    EXPECT_EQ(absl::StrJoin(*words, " "), ours);
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
