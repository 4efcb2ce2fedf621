// SPDX-License-Identifier: MIT
#include "tools/gridwise/problem/problem_flags.h"

#include <optional>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Extents Parse(const std::string& text) {
  Extents extents;
  std::string error;
  EXPECT_TRUE(AbslParseFlag(text, &extents, &error)) << error;
  return extents;
}

ProblemFlags RetinaNetHead() {
  ProblemFlags flags;
  flags.n = 32;
  flags.c = 256;
  flags.k = 36;
  flags.in = Parse("13x13");
  flags.filter = Parse("3x3");
  flags.pad = Parse("1");
  return flags;
}

std::string ErrorOf(const ProblemFlags& flags) {
  const auto problem = BuildProblem(Direction::kBackwardData, std::nullopt, flags);
  return problem.ok() ? "no error" : std::string(problem.status().message());
}

TEST(ExtentsTest, ParsesOneToThreeValues) {
  EXPECT_THAT(Parse("3").values, ElementsAre(3));
  EXPECT_THAT(Parse("13x14").values, ElementsAre(13, 14));
  EXPECT_THAT(Parse("-1x0x2").values, ElementsAre(-1, 0, 2));
  EXPECT_EQ(AbslUnparseFlag(Parse("13x14")), "13x14");
}

TEST(ExtentsTest, ParsesWhatOtherProgramsWrite) {
  for (const char* text : {"2,3", "(2, 3)", "[2,3]", "[2, 3]", "2x3"}) {
    EXPECT_THAT(Parse(text).values, ElementsAre(2, 3)) << text;
  }
  EXPECT_THAT(Parse("(2,)").values, ElementsAre(2));
  EXPECT_EQ(AbslUnparseFlag(Parse("SAME")), "same");
}

TEST(ExtentsTest, RefusesWhatIsNotExtents) {
  for (const char* text : {"x", "3x", "three", "(3", "3;3", "same3", "1x2x3x4", "3.5",
                           "99999999999999999999", "4000000000"}) {
    Extents extents;
    std::string error;
    EXPECT_FALSE(AbslParseFlag(text, &extents, &error)) << text;
    EXPECT_FALSE(error.empty()) << text;
  }
}

TEST(BuildProblemTest, ExplicitSizes) {
  const auto problem = BuildProblem(Direction::kBackwardData, std::nullopt, RetinaNetHead());
  ASSERT_TRUE(problem.ok()) << problem.status();
  EXPECT_EQ(problem->rank, 2);
  EXPECT_EQ(problem->batch, 32);
  EXPECT_EQ(problem->groups, 1);
  EXPECT_EQ(problem->dims[0], Dim{});
  EXPECT_EQ(problem->dims[1], (Dim{.in = 13, .filter = 3, .pad_begin = 1, .pad_end = 1}));
  EXPECT_EQ(problem->dims[2].out(), 13);
}

TEST(BuildProblemTest, SingleValuesStandForEveryAxis) {
  ProblemFlags flags = RetinaNetHead();
  flags.in = Parse("5x6x7");
  flags.filter = Parse("2");
  flags.pad_end = Parse("0x1x2");
  const auto problem = BuildProblem(Direction::kBackwardData, std::nullopt, flags);
  ASSERT_TRUE(problem.ok()) << problem.status();
  EXPECT_EQ(problem->rank, 3);
  EXPECT_EQ(problem->dims[0], (Dim{.in = 5, .filter = 2, .pad_begin = 1, .pad_end = 0}));
  EXPECT_EQ(problem->dims[2], (Dim{.in = 7, .filter = 2, .pad_begin = 1, .pad_end = 2}));
}

TEST(BuildProblemTest, SingleValuesAloneAreOneAxis) {
  ProblemFlags flags = RetinaNetHead();
  flags.in = Parse("13");
  flags.filter = Parse("3");
  const auto problem = BuildProblem(Direction::kBackwardData, std::nullopt, flags);
  ASSERT_TRUE(problem.ok()) << problem.status();
  EXPECT_EQ(problem->rank, 1);
  EXPECT_EQ(problem->dims[1], Dim{});
  EXPECT_EQ(problem->dims[2].in, 13);
}

TEST(BuildProblemTest, FlagsOverrideTheNamedProblem) {
  const auto base = BuildProblem(Direction::kBackwardData, std::nullopt, RetinaNetHead());
  ASSERT_TRUE(base.ok()) << base.status();
  ProblemFlags flags;
  flags.n = 1;
  flags.stride = Parse("2x1");
  const auto problem = BuildProblem(Direction::kBackwardData, *base, flags);
  ASSERT_TRUE(problem.ok()) << problem.status();
  EXPECT_EQ(problem->batch, 1);
  EXPECT_EQ(problem->c, 256);
  EXPECT_EQ(problem->dims[1].stride, 2);
  EXPECT_EQ(problem->dims[2].stride, 1);
}

TEST(BuildProblemTest, ErrorsAreSentences) {
  EXPECT_THAT(ErrorOf({}), HasSubstr("give --c, --k, --in, --filter"));
  ProblemFlags flags = RetinaNetHead();
  flags.stride = Parse("0");
  EXPECT_THAT(ErrorOf(flags), HasSubstr("stride (h) is 0; must be >= 1"));
  flags = RetinaNetHead();
  flags.groups = 5;
  EXPECT_THAT(ErrorOf(flags), HasSubstr("multiple of groups"));
  flags = RetinaNetHead();
  flags.filter = Parse("16");
  EXPECT_THAT(ErrorOf(flags), HasSubstr("must fit in the padded input"));
  flags = RetinaNetHead();
  flags.pad = Parse("1x1x1");
  EXPECT_THAT(ErrorOf(flags), HasSubstr("--in=13x13 has 2 values; the problem has 3 spatial axes"));
}

/// Sizes of the outputs, and where odd zeros are, by TensorFlow's rule.
TEST(BuildProblemTest, PaddingInWords) {
  struct Case {
    const char *in, *filter, *stride, *dilation;
    int64_t begin, end, out;
  };
  constexpr Case kCases[] = {{"224", "3", "2", "1", 0, 1, 112}, {"224", "7", "2", "1", 2, 3, 112},
                             {"15", "3", "2", "1", 1, 1, 8},    {"13", "3", "1", "2", 2, 2, 13},
                             {"14", "4", "1", "1", 1, 2, 14},   {"14", "1", "3", "1", 0, 0, 5}};
  for (const Case& each : kCases) {
    ProblemFlags flags = RetinaNetHead();
    flags.in = Parse(each.in);
    flags.filter = Parse(each.filter);
    flags.stride = Parse(each.stride);
    flags.dilation = Parse(each.dilation);
    flags.pad = Parse("same");
    const auto problem = BuildProblem(Direction::kForward, std::nullopt, flags);
    ASSERT_TRUE(problem.ok()) << problem.status();
    const Dim& dim = problem->dims[2];
    EXPECT_EQ(dim.pad_begin, each.begin) << each.in << " " << each.filter;
    EXPECT_EQ(dim.pad_end, each.end) << each.in << " " << each.filter;
    EXPECT_EQ(dim.out(), each.out) << each.in << " " << each.filter;
  }
  ProblemFlags flags = RetinaNetHead();
  flags.pad = Parse("valid");
  const auto valid = BuildProblem(Direction::kForward, std::nullopt, flags);
  ASSERT_TRUE(valid.ok()) << valid.status();
  EXPECT_EQ(valid->dims[1].out(), 11);
  flags.pad_end = Parse("1");
  EXPECT_THAT(ErrorOf(flags), HasSubstr("--pad=valid is the padding at both ends"));
  flags = RetinaNetHead();
  flags.stride = Parse("same");
  EXPECT_THAT(ErrorOf(flags), HasSubstr("--stride=same must be numbers; --pad may be same"));
  flags = RetinaNetHead();
  flags.dilation = Parse("0");
  EXPECT_THAT(ErrorOf(flags), HasSubstr("oneDNN's dilation of 0 is 1 here"));
}

ProblemFlags Transposed(int64_t c, int64_t k, const char* in, const char* filter,
                        const char* stride) {
  ProblemFlags flags;
  flags.c = c;
  flags.k = k;
  flags.in = Parse(in);
  flags.filter = Parse(filter);
  flags.stride = Parse(stride);
  return flags;
}

/// The example of PyTorch's documentation: Conv2d(16, 16, 3, stride=2, padding=1) makes 6 of 12
/// pixels, ConvTranspose2d with the same arguments makes 11 of 6, or 12 with output_padding=1.
TEST(BuildTransposedTest, OutputPaddingChoosesAmongSizes) {
  ProblemFlags flags = Transposed(16, 8, "6x6", "3", "2");
  flags.pad = Parse("1");
  for (const int64_t output_padding : {0, 1}) {
    flags.output_padding.values = {output_padding};
    const auto problem = BuildTransposed(flags);
    ASSERT_TRUE(problem.ok()) << problem.status();
    EXPECT_EQ(problem->direction, Direction::kBackwardData);
    EXPECT_EQ(problem->c, 8);
    EXPECT_EQ(problem->k, 16);
    EXPECT_EQ(problem->dims[1].in, 11 + output_padding);
    EXPECT_EQ(problem->dims[2].out(), 6);
  }
}

/// Attributes of Conv and ConvTranspose in docs/Operators.md of ONNX: an odd zero is at the end by
/// SAME_UPPER, and at the beginning by SAME_LOWER.
TEST(BuildTransposedTest, AutoPadOfOnnx) {
  ProblemFlags conv = RetinaNetHead();
  conv.in = Parse("8x8");
  conv.stride = Parse("2");
  ProblemFlags transposed = Transposed(16, 8, "4x4", "3", "2");
  const Dim upper = {.in = 8, .filter = 3, .stride = 2, .pad_begin = 0, .pad_end = 1};
  const Dim lower = {.in = 8, .filter = 3, .stride = 2, .pad_begin = 1, .pad_end = 0};
  for (const auto& [word, expected] : {std::pair("SAME_UPPER", upper), {"SAME_LOWER", lower}}) {
    conv.pad = transposed.pad = Parse(word);
    EXPECT_EQ(BuildProblem(Direction::kForward, std::nullopt, conv)->dims[2], expected) << word;
    EXPECT_EQ(BuildTransposed(transposed)->dims[2], expected) << word;
  }
}

/// Frameworks with words for padding have in * stride output pixels with "same", and with "valid"
/// all that any product reaches: max(in * stride + filter - stride, in * stride) where the filter
/// is not shorter than the stride.
TEST(BuildTransposedTest, WordsForPadding) {
  for (const char* filter : {"1", "2", "3", "5"}) {
    ProblemFlags flags = Transposed(64, 32, "14x7", filter, "2x3");
    flags.pad = Parse("same");
    const auto same = BuildTransposed(flags);
    ASSERT_TRUE(same.ok()) << same.status();
    EXPECT_EQ(same->dims[1].in, 28);
    EXPECT_EQ(same->dims[2].in, 21);
    EXPECT_EQ(same->dims[1].out(), 14);
    EXPECT_EQ(same->dims[2].out(), 7);
  }
  ProblemFlags flags = Transposed(64, 32, "14x14", "3", "2");
  flags.pad = Parse("valid");
  EXPECT_EQ(BuildTransposed(flags)->dims[1].in, 29);
  flags.dilation = Parse("2");
  EXPECT_EQ(BuildTransposed(flags)->dims[1].in, 31);
}

TEST(BuildTransposedTest, RefusesInSentences) {
  const auto error = [](const ProblemFlags& flags) {
    return std::string(BuildTransposed(flags).status().message());
  };
  ProblemFlags flags = Transposed(4, 4, "6", "3", "2");
  flags.output_padding = Parse("2");
  EXPECT_THAT(error(flags), HasSubstr("--output-padding has a 2; must be >= 0 and less than the "
                                      "stride, which is 2"));
  flags.output_padding = Parse("1x1");
  flags.in = Parse("6x6x6");
  EXPECT_THAT(error(flags), HasSubstr("--output-padding=1x1 has 2 values; the problem has 3"));
  flags = Transposed(4, 4, "1", "1", "1");
  flags.pad = Parse("3");
  EXPECT_THAT(error(flags), HasSubstr("has -5 output pixels"));
  flags = Transposed(4, 4, "6", "3", "2");
  flags.pad = Parse("same");
  flags.output_padding = Parse("1");
  EXPECT_THAT(error(flags), HasSubstr("it excludes --output-padding"));
  EXPECT_THAT(
      std::string(BuildProblem(Direction::kForward, std::nullopt, flags).status().message()),
      HasSubstr("--output-padding belongs to conv_transpose"));
  flags.c.reset();
  EXPECT_THAT(error(flags), HasSubstr("the problem is incomplete: give --c"));
}

TEST(CompleteFromShapesTest, PaddingInWords) {
  ProblemFlags flags;
  flags.stride = Parse("2");
  flags.pad = Parse("same");
  const auto complete =
      CompleteFromShapes(flags, {.x = {}, .w = {36, 3, 5, 16}, .dy = {4, 7, 9, 36}});
  ASSERT_TRUE(complete.ok()) << complete.status();
  EXPECT_THAT(complete->in.values, ElementsAre(13, 17));
  const auto problem = BuildProblem(Direction::kBackwardData, std::nullopt, *complete);
  ASSERT_TRUE(problem.ok()) << problem.status();
  EXPECT_EQ(problem->dims[1].out(), 7);
  EXPECT_EQ(problem->dims[2].out(), 9);
}

TEST(CompleteFromShapesTest, MergedShapes) {
  ProblemFlags flags;
  flags.stride = Parse("2");
  flags.pad = Parse("1");
  const auto complete =
      CompleteFromShapes(flags, {.x = {}, .w = {36, 3, 5, 16}, .dy = {4, 7, 9, 36}});
  ASSERT_TRUE(complete.ok()) << complete.status();
  EXPECT_EQ(complete->n, 4);
  EXPECT_EQ(complete->k, 36);
  EXPECT_EQ(complete->c, 16);
  EXPECT_EQ(complete->groups, 1);
  EXPECT_THAT(complete->filter.values, ElementsAre(3, 5));
  // h: 6 * 2 + 2 + 1 - 2 = 13; w: 8 * 2 + 4 + 1 - 2 = 19
  EXPECT_THAT(complete->in.values, ElementsAre(13, 19));
}

TEST(CompleteFromShapesTest, SplitShapesNeedTheNumberOfAxes) {
  ProblemFlags flags;
  flags.stride = Parse("1x1");
  const auto complete =
      CompleteFromShapes(flags, {.x = {}, .w = {2, 18, 3, 3, 16}, .dy = {4, 7, 9, 2, 18}});
  ASSERT_TRUE(complete.ok()) << complete.status();
  EXPECT_EQ(complete->groups, 2);
  EXPECT_EQ(complete->k, 36);
  EXPECT_EQ(complete->c, 32);
  EXPECT_THAT(complete->in.values, ElementsAre(9, 11));
}

TEST(CompleteFromShapesTest, SplitOutputTellsTheGroupsOfMergedWeights) {
  ProblemFlags flags;
  flags.stride = Parse("1x1");
  const auto complete =
      CompleteFromShapes(flags, {.x = {}, .w = {36, 3, 3, 16}, .dy = {4, 7, 9, 2, 18}});
  ASSERT_TRUE(complete.ok()) << complete.status();
  EXPECT_EQ(complete->groups, 2);
  EXPECT_EQ(complete->c, 32);
}

TEST(CompleteFromShapesTest, GivenSizesWin) {
  ProblemFlags flags;
  flags.in = Parse("14x20");
  flags.stride = Parse("2");
  flags.groups = 2;
  const auto complete =
      CompleteFromShapes(flags, {.x = {}, .w = {36, 2, 2, 16}, .dy = {4, 7, 9, 36}});
  ASSERT_TRUE(complete.ok()) << complete.status();
  EXPECT_THAT(complete->in.values, ElementsAre(14, 20));
  EXPECT_EQ(complete->c, 32);
}

TEST(CompleteFromShapesTest, InputTellsItsSizes) {
  ProblemFlags flags;
  flags.filter = Parse("3");
  const auto backward =
      CompleteFromShapes(flags, {.x = {4, 9, 11, 16}, .w = {}, .dy = {4, 7, 9, 36}});
  ASSERT_TRUE(backward.ok()) << backward.status();
  EXPECT_EQ(backward->c, 16);
  EXPECT_EQ(backward->k, 36);
  EXPECT_THAT(backward->in.values, ElementsAre(9, 11));
  const auto forward = CompleteFromShapes({}, {.x = {4, 9, 11, 16}, .w = {36, 3, 5, 8}, .dy = {}});
  ASSERT_TRUE(forward.ok()) << forward.status();
  EXPECT_EQ(forward->n, 4);
  EXPECT_EQ(forward->c, 8) << "one group, as w says";
  EXPECT_THAT(forward->filter.values, ElementsAre(3, 5));
}

TEST(CompleteFromShapesTest, WrongNumberOfAxes) {
  EXPECT_THAT(
      CompleteFromShapes({}, {.x = {}, .w = {36, 16}, .dy = {4, 7, 9, 36}}).status().message(),
      HasSubstr("w has the shape [36, 16], which leaves 0 spatial axes"));
  EXPECT_THAT(
      CompleteFromShapes({}, {.x = {}, .w = {36, 3, 3, 16}, .dy = {4, 7}}).status().message(),
      HasSubstr("dy has the shape [4, 7]; 2 spatial axes need 4 or 5 axes"));
}

}  // namespace
}  // namespace gridwise
