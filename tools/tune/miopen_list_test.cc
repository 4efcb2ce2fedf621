// SPDX-License-Identifier: MIT
#include "tools/tune/miopen_list.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/tune/problem_generator.h"

namespace gridwise {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<NamedProblem> Parse(std::string_view text) {
  absl::StatusOr<std::vector<NamedProblem>> problems = ParseMIOpenList(text, "list.txt");
  EXPECT_TRUE(problems.ok()) << problems.status();
  return problems.ok() ? *problems : std::vector<NamedProblem>();
}

TEST(MIOpenList, LongAndShortFlagsMeanTheSame) {
  const std::vector<NamedProblem> problems = Parse(
      "# from a log\n"
      "./bin/MIOpenDriver convfp16 --batchsize 64 --spatial_dim 2 --pad_h 1 --pad_w 2 --pad_d 0 "
      "--conv_stride_h 2 --conv_stride_w 1 --conv_stride_d 0 --dilation_h 1 --dilation_w 3 "
      "--dilation_d 0 --group_count 4 --mode conv --pad_mode default --out_layout NCHW --in_d 1 "
      "--in_h 28 --in_w 30 --fil_d 1 --fil_h 3 --fil_w 5 --in_channels 128 --out_channels 512 "
      "--forw 4\n\n"
      "MIOPEN_X=1 MIOpenDriver convfp16 -n 64 -c 128 -H 28 -W 30 -k 512 -y 3 -x 5 -p 1 -q 2 -u 2 "
      "-v 1 -l 1 -j 3 -g 4 -m conv -F 1 -t 1 -V 0\n");
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(ToString(problems[0].problem),
            "fwd f16 g4 n64 c128 k512 in 28x30 filter 3x5 stride 2x1 dilation 1x3 pad 1x2 out "
            "14x22");
  EXPECT_THAT(problems[0].directions, ElementsAre(Direction::kForward, Direction::kBackwardWeight));
  EXPECT_EQ(problems[0].note, "MIOpenDriver convfp16");
}

TEST(MIOpenList, DefaultsAreTheDrivers) {
  const std::vector<NamedProblem> problems = Parse("MIOpenDriver conv");
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(ToString(problems[0].problem),
            "fwd f16 g1 n100 c3 k32 in 32x32 filter 3x3 stride 1x1 dilation 1x1 pad 0x0 out 30x30");
  EXPECT_EQ(problems[0].directions.size(), 3u);
}

TEST(MIOpenList, PadModesAndVolumes) {
  const std::vector<NamedProblem> problems = Parse(
      "MIOpenDriver conv -_ 3 -! 8 -H 15 -W 16 -@ 3 -y 5 -x 3 -# 1 -u 2 -v 2 -z same -F 1\n"
      "MIOpenDriver conv -H 15 -W 16 -p 7 -q 7 -z valid -F 1\n");
  ASSERT_EQ(problems.size(), 2u);
  // (3 - 1) / 2, (5 - 15 mod 2) / 2, (3 - 2) / 2.
  EXPECT_EQ(ToString(problems[0].problem),
            "fwd f16 g1 n100 c3 k32 in 8x15x16 filter 3x5x3 stride 1x2x2 dilation 1x1x1 pad 1x2x0 "
            "out 8x8x7");
  EXPECT_EQ(problems[1].problem.dims[1].pad_begin, 0);
}

/// 2 * (4 - 1) + 3 - 2 * 1 + 1 = 8 pixels of 4, of which a convolution makes 4 again.
TEST(MIOpenList, TransposedConvolutionsAreGradients) {
  const std::vector<NamedProblem> problems = Parse(
      "MIOpenDriver conv -m trans -n 2 -c 64 -k 32 -H 4 -W 4 -y 3 -x 3 -u 2 -v 2 -p 1 -q 1 "
      "-Y 1 -X 1 -F 1");
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(ToString(problems[0].problem),
            "fwd f16 g1 n2 c32 k64 in 8x8 filter 3x3 stride 2x2 dilation 1x1 pad 1x1 out 4x4");
  EXPECT_THAT(problems[0].directions, ElementsAre(Direction::kBackwardData));
}

TEST(MIOpenList, IsReadAgainAsAProblemSet) {
  const std::vector<NamedProblem> problems = Parse(
      "MIOpenDriver conv -c 8 -k 16 -F 2\nMIOpenDriver convbfp16 -c 8 -k 16 -g 8 -I NHWC -F 0\n");
  const absl::StatusOr<std::vector<NamedProblem>> again =
      ParseProblems(PrintProblems(problems), "printed");
  ASSERT_TRUE(again.ok()) << again.status();
  ASSERT_EQ(again->size(), problems.size());
  for (std::size_t i = 0; i < problems.size(); ++i) {
    EXPECT_EQ((*again)[i].problem, problems[i].problem);
    EXPECT_EQ((*again)[i].directions, problems[i].directions);
  }
}

TEST(MIOpenList, ErrorsNameTheLineAndTheValue) {
  const auto refusal = [](std::string_view text) {
    return std::string(ParseMIOpenList(text, "list.txt").status().message());
  };
  EXPECT_THAT(refusal("\nMIOpenDriver conv -n many"),
              HasSubstr("list.txt:2: -n is 'many'; must be an integer"));
  EXPECT_THAT(refusal("MIOpenDriver conv -n"), HasSubstr("list.txt:1: -n has no value"));
  EXPECT_THAT(refusal("MIOpenDriver conv --colour 3"), HasSubstr("--colour is no flag of"));
  EXPECT_THAT(refusal("MIOpenDriver pool -n 3"), HasSubstr("must be a command line of"));
  EXPECT_THAT(refusal("MIOpenDriver conv -F 9"), HasSubstr("--forw is 9; must be 0 to 7"));
  EXPECT_THAT(refusal("MIOpenDriver conv -c 6 -g 4"), HasSubstr("list.txt:1: c is 6; must be a"));
  EXPECT_THAT(refusal("# nothing\n"), HasSubstr("list.txt has no command line"));
}

}  // namespace
}  // namespace gridwise
