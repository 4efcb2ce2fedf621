// SPDX-License-Identifier: MIT
#include "tools/gridwise/import/miopen_driver.h"

#include <string>
#include <string_view>
#include <vector>

#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/gridwise/import/line.h"

namespace gridwise {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The item of a line; an empty one if it has none.
ImportedItem ReadItem(std::string_view line) {
  const ImportedLine read = ReadMIOpenDriver(line);
  EXPECT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(read.ok() && read->has_value()) << line;
  return read.ok() && *read ? **read : ImportedItem();
}
std::vector<std::string> ReadProblems(std::string_view line) {
  std::vector<std::string> texts;
  for (const ConvProblem& problem : ReadItem(line).problems) texts.push_back(ToString(problem));
  return texts;
}

TEST(MIOpenDriver, LongAndShortFlagsMeanTheSame) {
  EXPECT_THAT(
      ReadProblems(
          "./bin/MIOpenDriver convfp16 --batchsize 64 --spatial_dim 2 --pad_h 1 --pad_w 2 --pad_d "
          "0 --conv_stride_h 2 --conv_stride_w 1 --conv_stride_d 0 --dilation_h 1 --dilation_w 3 "
          "--dilation_d 0 --group_count 4 --mode conv --pad_mode default --out_layout NCHW --in_d "
          "1 --in_h 28 --in_w 30 --fil_d 1 --fil_h 3 --fil_w 5 --in_channels 128 --out_channels "
          "512 --forw 4"),
      ElementsAre("bwd_weight f16 g4 n64 c128 k512 in 28x30 filter 3x5 stride 2x1 dilation 1x3 pad "
                  "1x2 out 14x22 ngchw"));
  EXPECT_THAT(
      ReadProblems("MIOPEN_X=1 MIOpenDriver convfp16 -n 64 -c 128 -H 28 -W 30 -k 512 -y 3 -x 5 "
                   "-p 1 -q 2 -u 2 -v 1 -l 1 -j 3 -g 4 -m conv -F 1 -t 1 -V 0"),
      ElementsAre("fwd f16 g4 n64 c128 k512 in 28x30 filter 3x5 stride 2x1 dilation 1x3 "
                  "pad 1x2 out 14x22 ngchw"));
}

TEST(MIOpenDriver, DefaultsAreTheDrivers) {
  EXPECT_THAT(ReadProblems("MIOpenDriver conv"),
              ElementsAre("fwd f32 g1 n100 c3 k32 in 32x32 filter 3x3 stride 1x1 dilation 1x1 pad "
                          "0x0 out 30x30 ngchw",
                          "bwd_data f32 g1 n100 c3 k32 in 32x32 filter 3x3 stride 1x1 dilation 1x1 "
                          "pad 0x0 out 30x30 ngchw",
                          "bwd_weight f32 g1 n100 c3 k32 in 32x32 filter 3x3 stride 1x1 dilation "
                          "1x1 pad 0x0 out 30x30 ngchw"));
}

TEST(MIOpenDriver, TypesAndLayouts) {
  EXPECT_THAT(ReadProblems("MIOpenDriver convbfp16 -F 1 -I NHWC -f NHWC -O NHWC -g 3 -k 33"),
              ElementsAre("fwd bf16 g3 n100 c3 k33 in 32x32 filter 3x3 stride 1x1 dilation 1x1 pad "
                          "0x0 out 30x30"));
  EXPECT_THAT(ReadProblems("MIOpenDriver convint8 -F 1 --in_layout nhwc").front(),
              HasSubstr("fwd i8->i32 g1"));
  EXPECT_EQ(ReadItem("MIOpenDriver conv").note, "its weights are KCYX");
  EXPECT_EQ(ReadItem("MIOpenDriver conv -I NHWC").note, "");
}

TEST(MIOpenDriver, PadModesAndVolumes) {
  // (3 - 1) / 2, (5 - 15 mod 2) / 2, (3 - 2) / 2.
  EXPECT_THAT(
      ReadProblems("MIOpenDriver conv -_ 3 -! 8 -H 15 -W 16 -@ 3 -y 5 -x 3 -# 1 -u 2 -v 2 -z "
                   "same -F 1"),
      ElementsAre("fwd f32 g1 n100 c3 k32 in 8x15x16 filter 3x5x3 stride 1x2x2 dilation "
                  "1x1x1 pad 1x2x0 out 8x8x7 ngchw"));
  EXPECT_THAT(ReadProblems("MIOpenDriver conv -H 15 -W 16 -p 7 -q 7 -z valid -F 1").front(),
              HasSubstr(" pad 0x0 "));
}

/// 2 * (4 - 1) + 3 - 2 * 1 + 1 = 8 pixels of 4, of which a convolution makes 4 again.
TEST(MIOpenDriver, ATransposedConvolutionIsBackwardData) {
  EXPECT_THAT(
      ReadProblems("MIOpenDriver convbfp16 -m trans -n 8 -c 64 -k 32 -H 4 -W 4 -y 3 -x 3 -u 2 "
                   "-v 2 -p 1 -q 1 -Y 1 -X 1 -g 2 -F 1"),
      ElementsAre("bwd_data bf16 g2 n8 c32 k64 in 8x8 filter 3x3 stride 2x2 dilation 1x1 "
                  "pad 1x1 out 4x4 ngchw"));
  EXPECT_THAT(ReadProblems("MIOpenDriver conv -m trans -F 2").front(), HasSubstr("fwd f32"));
  EXPECT_THAT(ReadProblems("MIOpenDriver conv -m trans -F 4").front(), HasSubstr("bwd_weight f32"));
}

TEST(MIOpenDriver, LinesOfLogs) {
  constexpr std::string_view kLine =
      "MIOpen(HIP): Command [LogCmdConvolution] ./bin/MIOpenDriver convfp16 -n 128 -c 3 -H 32 -W "
      "32 -k 64 -y 3 -x 3 -p 1 -q 1 -u 1 -v 1 -l 1 -j 1 -m conv -g 1 -F 1 -t 1\r";
  EXPECT_THAT(ReadProblems(kLine),
              ElementsAre("fwd f16 g1 n128 c3 k64 in 32x32 filter 3x3 stride 1x1 "
                          "dilation 1x1 pad 1x1 out 32x32 ngchw"));
  EXPECT_FALSE(ReadItem(kLine).is_search);
  // In a log, -k of a transposed convolution is that of a group.
  const ImportedItem found = ReadItem(
      "MIOpen: Command [LogCmdFindConvolution] ./bin/MIOpenDriver conv -n 1 -c 8 -H 4 -W 4 -k 3 "
      "-m trans -g 2 -F 1 -t 1");
  EXPECT_TRUE(found.is_search);
  ASSERT_EQ(found.problems.size(), 1u);
  EXPECT_EQ(found.problems[0].c, 6);
  EXPECT_EQ(found.problems[0].k, 8);
  EXPECT_EQ(
      ReadItem("MIOpen(HIP): Command [LogCmdBNorm] ./bin/MIOpenDriver bnormfp16 -n 1").skipped,
      "bnormfp16");
}

TEST(MIOpenDriver, ErrorsNameTheFlagAndTheValue) {
  const auto refusal = [](std::string_view line) {
    return std::string(ReadMIOpenDriver(line).status().message());
  };
  EXPECT_THAT(refusal("MIOpenDriver conv -n many"), HasSubstr("-n is 'many'; must be an integer"));
  EXPECT_THAT(refusal("MIOpenDriver conv -n 99999999999"), HasSubstr("of at most 1073741824"));
  EXPECT_THAT(refusal("MIOpenDriver conv -n"), HasSubstr("-n has no value"));
  EXPECT_THAT(refusal("MIOpenDriver conv --colour 3"), HasSubstr("--colour is no flag of"));
  EXPECT_THAT(refusal("MIOpenDriver conv -F 9"), HasSubstr("--forw is 9; must be 0 to 7"));
  EXPECT_THAT(refusal("MIOpenDriver conv -m both"), HasSubstr("--mode is 'both'; must be"));
  EXPECT_THAT(refusal("MIOpenDriver conv -z half"),
              HasSubstr("--pad_mode is 'half'; must be default, same or valid"));
  EXPECT_THAT(refusal("MIOpenDriver convfp64 -n 1"), HasSubstr("convfp64 is of a type"));
  EXPECT_THAT(refusal("MIOpenDriver conv -I NCHWc4"), HasSubstr("the layout is NCHWC4; must be"));
  EXPECT_THAT(refusal("MIOpenDriver conv -I NCHW -f NHWC"), HasSubstr("are NCHW and NHWC"));
  EXPECT_THAT(refusal("MIOpenDriver conv -r 1"), HasSubstr("--pad_val is 1; Gridwise has 0"));
  EXPECT_THAT(refusal("MIOpenDriver conv -U fp8"), HasSubstr("--in_cast_type is fp8; Gridwise"));
}

TEST(MIOpenDriver, OtherLinesAreLeft) {
  for (const std::string_view line :
       {"", "loss 0.3", "MIOpenDriver", "find /opt -name MIOpenDriver2 x"}) {
    const ImportedLine read = ReadMIOpenDriver(line);
    EXPECT_TRUE(read.ok() && !read->has_value()) << line;
  }
}

}  // namespace
}  // namespace gridwise
