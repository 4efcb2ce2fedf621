// SPDX-License-Identifier: MIT
#include "core/conv/problem_io.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/reference/random_problem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kHeader =
    "name,ndim,G,N,K,C,Z,Y,X,Di,Hi,Wi,stride_d,stride_h,stride_w,dil_d,dil_h,dil_w,pad_d,pad_h,"
    "pad_w,directions,note\n";
constexpr std::string_view kRow =
    "first,2,2,3,8,4,1,5,3,1,40,17,1,3,2,1,2,1,0,4,1,bwd_data fwd,\"4 \"\"sub\"\", G=2\"\n";

TEST(ParseProblems, ReadsEveryColumn) {
  const auto problems = ParseProblems(absl::StrCat(kHeader, "\n", kRow), "set.csv");
  ASSERT_TRUE(problems.ok()) << problems.status();
  ASSERT_EQ(problems->size(), 1u);
  const NamedProblem& p = problems->front();
  EXPECT_EQ(p.name, "first");
  EXPECT_EQ(p.note, "4 \"sub\", G=2");
  EXPECT_THAT(p.directions, ElementsAre(Direction::kBackwardData, Direction::kForward));
  EXPECT_EQ(p.problem,
            (ConvProblem{.rank = 2,
                         .groups = 2,
                         .batch = 3,
                         .c = 4,
                         .k = 8,
                         .dims = {Dim{}, Dim{40, 5, 3, 2, 4, 4}, Dim{17, 3, 2, 1, 1, 1}}}));
}

TEST(ParseProblems, TypesLayoutsAndCounts) {
  const std::string header =
      absl::StrReplaceAll(kHeader, {{"note", "type,out_type,layout,weight_layout,count"}});
  const auto row = [&](std::string_view variant) {
    return absl::StrCat("v,2,1,3,8,4,1,5,3,1,40,17,1,3,2,1,2,1,0,4,1,fwd,", variant, "\n");
  };
  const auto problems = ParseProblems(absl::StrCat(header, row("bf16,f32,ngchw,kyxgc,17")), "set");
  ASSERT_TRUE(problems.ok()) << problems.status();
  const NamedProblem& p = problems->front();
  EXPECT_EQ(p.problem.type, DataType::kBF16);
  EXPECT_EQ(p.problem.out_type, DataType::kF32);
  EXPECT_EQ(p.problem.layout, Layout::kNGCHW);
  EXPECT_EQ(p.problem.weight_layout, WeightLayout::kKYXGC);
  EXPECT_EQ(p.count, 17);
  const auto empty = ParseProblems(absl::StrCat(header, row(",,,,")), "set");
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_EQ(empty->front().problem.type, DataType::kF16);
  EXPECT_EQ(empty->front().problem.layout, Layout::kNHWGC);
  EXPECT_EQ(empty->front().count, 1);
  const auto refusal = [&](std::string_view variant) {
    return std::string(ParseProblems(absl::StrCat(header, row(variant)), "set").status().message());
  };
  EXPECT_THAT(refusal("half,,,,"), HasSubstr("set:2: column type is \"half\"; must be one of f16"));
  EXPECT_THAT(refusal(",,nchw,,"), HasSubstr("column layout is \"nchw\"; must be one of nhwgc"));
  EXPECT_THAT(refusal(",,,,0"), HasSubstr("column count is 0; must be >= 1"));
}

TEST(PrintProblems, IsReadAgain) {
  std::vector<NamedProblem> problems = {
      {.name = "plain", .problem = {.c = 4, .k = 8}, .directions = {Direction::kForward}}};
  problems[0].problem.dims[2] = {7, 3, 2, 1, 0, 1};
  // Columns that no problem needs are left out.
  EXPECT_THAT(PrintProblems(problems),
              ::testing::EndsWith("pad_end_w,directions\n"
                                  "plain,2,1,1,8,4,1,1,3,1,1,7,1,1,2,1,1,1,0,0,0,0,0,1,fwd\n"));
  problems.push_back(problems[0]);
  problems[1].name = "a, \"b\"";
  problems[1].problem.type = DataType::kI8;
  problems[1].problem.out_type = DataType::kF32;
  problems[1].problem.layout = Layout::kGNHWC;
  problems[1].directions = {Direction::kBackwardWeight, Direction::kForward};
  problems[1].count = 3;
  problems[1].note = "line 7";
  const auto again = ParseProblems(PrintProblems(problems), "printed");
  ASSERT_TRUE(again.ok()) << again.status();
  ASSERT_EQ(again->size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ((*again)[i].name, problems[i].name);
    EXPECT_EQ((*again)[i].problem, problems[i].problem);
    EXPECT_EQ((*again)[i].directions, problems[i].directions);
    EXPECT_EQ((*again)[i].count, problems[i].count);
    EXPECT_EQ((*again)[i].note, problems[i].note);
  }
}

TEST(ParseProblems, HeaderOrderIsFreeAndOptionalColumnsHaveDefaults) {
  const auto problems = ParseProblems(
      "directions,pad_end_w,pad_d,pad_h,pad_w,dil_d,dil_h,dil_w,stride_d,stride_h,stride_w,Di,Hi,"
      "Wi,"
      "Z,Y,X,C,K,N,G,ndim,name\r\n"
      "fwd,3,1,2,0,1,1,1,1,1,1,4,5,6,1,2,3,7,9,11,1,3,v\r\n",
      "set.csv");
  ASSERT_TRUE(problems.ok()) << problems.status();
  const ConvProblem& p = problems->front().problem;
  EXPECT_EQ(p.rank, 3);
  EXPECT_EQ(p.dims[0], (Dim{4, 1, 1, 1, 1, 1})) << "pad_end_d defaults to pad_d";
  EXPECT_EQ(p.dims[1], (Dim{5, 2, 1, 1, 2, 2}));
  EXPECT_EQ(p.dims[2], (Dim{6, 3, 1, 1, 0, 3}));
  EXPECT_EQ(problems->front().note, "");
}

TEST(ParseProblems, ErrorsNameFileLineColumnAndValue) {
  struct Case {
    std::string_view from, to, message;
  };
  const std::vector<Case> cases = {
      {"stride_h", "step_h", "set.csv:1: column 14 is \"step_h\"; no such column is known"},
      {"stride_h", "stride_w", "set.csv:1: column stride_w appears twice; must appear once"},
      {"pad_w,directions,note", "directions,note",
       "set.csv:1: column pad_w is missing; the first line must name name, ndim, directions, G, N"},
      {"first,2,2", "first,2,two", "set.csv:2: column G is \"two\"; must be a 64-bit integer"},
      {"first,2,2", "first,2,99999999999999999999",
       "set.csv:2: column G is \"99999999999999999999\"; must be a 64-bit integer"},
      {"first,2,2", "first,2", "set.csv:2: the line has 22 fields; must have 23, as the header"},
      {"bwd_data fwd", "bwd_data bwd",
       "set.csv:2: column directions is \"bwd_data bwd\"; must list fwd, bwd_data or bwd_weight, "
       "not \"bwd\""},
      {"bwd_data fwd", " ", "set.csv:2: column directions is \"\"; must list"},
      {"first,", ",", "set.csv:2: column name is \"\"; must not be empty"},
      {"G=2\"", "G=2", "set.csv:2: a quoted field is not closed; must end on its line"},
      {"first,2,2", "first,2,3",
       "set.csv:2: problem \"first\": c is 4; must be a multiple of groups, which is 3"},
      {"first,2,2", "first,4294967298,2", "rank is 2147483647; must be <= 3"},
  };
  for (const Case& c : cases) {
    const std::string csv = absl::StrReplaceAll(absl::StrCat(kHeader, kRow), {{c.from, c.to}});
    const auto problems = ParseProblems(csv, "set.csv");
    EXPECT_EQ(problems.status().code(), absl::StatusCode::kInvalidArgument) << c.message;
    EXPECT_THAT(problems.status().message(), HasSubstr(c.message));
  }
}

TEST(ParseProblems, NamesMustDifferAndTheHeaderMustExist) {
  EXPECT_THAT(ParseProblems(absl::StrCat(kHeader, kRow, "\n", kRow), "set.csv").status().message(),
              "set.csv:4: column name is \"first\"; must differ from that of line 2");
  EXPECT_THAT(ParseProblems("\n", "set.csv").status().message(),
              "set.csv: there is no header line");
  EXPECT_TRUE(ParseProblems(kHeader, "set.csv")->empty());
}

TEST(ReadProblems, RegressionSet) {
  const auto problems = ReadProblems("tests/problems/regressions.csv");
  ASSERT_TRUE(problems.ok()) << problems.status();
  EXPECT_EQ(problems->size(), 70u);
  for (const NamedProblem& p : *problems) EXPECT_EQ(p.directions.size(), 3u) << p.name;
  EXPECT_EQ(ToString(problems->front().problem),
            "fwd f16 g1 n16 c128 k256 in 40x175 filter 5x5 stride 2x2 dilation 1x1 pad 2x2 out "
            "20x88");
}

TEST(ReadProblems, RetinaNetSet) {
  const auto problems = ReadProblems("tests/problems/retinanet.csv");
  ASSERT_TRUE(problems.ok()) << problems.status();
  const auto count = [&](Direction direction) {
    return std::count_if(problems->begin(), problems->end(), [&](const NamedProblem& p) {
      return std::count(p.directions.begin(), p.directions.end(), direction) == 1;
    });
  };
  EXPECT_EQ(count(Direction::kForward), 43);
  EXPECT_EQ(count(Direction::kBackwardData), 35);
  EXPECT_EQ(count(Direction::kBackwardWeight), 37);
}

TEST(ReadProblems, MissingFile) {
  const absl::Status status = ReadProblems("tests/problems/none.csv").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(status.message(), HasSubstr("cannot open the problem set tests/problems/none.csv"));
}

TEST(ParseSizes, OneToThreeIntegers) {
  EXPECT_THAT(*ParseSizes("13"), ElementsAre(13));
  EXPECT_THAT(*ParseSizes("13x15"), ElementsAre(13, 15));
  EXPECT_THAT(*ParseSizes("8x12x10"), ElementsAre(8, 12, 10));
  EXPECT_THAT(*ParseSizes("0x-1"), ElementsAre(0, -1));
  for (std::string_view bad : {"", "x", "13x", "1x2x3x4", "13,13", "1.5"}) {
    EXPECT_THAT(ParseSizes(bad).status().message(),
                HasSubstr(absl::StrCat("sizes are \"", bad, "\"; must be")));
  }
}

TEST(ToString, ShowsEachField) {
  ConvProblem p{.direction = Direction::kBackwardWeight,
                .type = DataType::kBF16,
                .rank = 3,
                .groups = 2,
                .batch = 3,
                .c = 4,
                .k = 6,
                .dims = {Dim{8, 3, 1, 1, 0, 1}, Dim{12, 3, 2, 1, 1, 1}, Dim{10, 2, 1, 3, 2, 2}}};
  EXPECT_EQ(ToString(p),
            "bwd_weight bf16 g2 n3 c4 k6 in 8x12x10 filter 3x3x2 stride 1x2x1 dilation 1x1x3 pad "
            "0x1x2:1x1x2 out 7x6x11");
  p = {.rank = 1, .dims = {Dim{}, Dim{}, Dim{.in = 9}}};
  const std::string sizes = "fwd f16 g1 n1 c1 k1 in 9 filter 1 stride 1 dilation 1 pad 0 out 9";
  EXPECT_EQ(ToString(p), sizes);
  p.operand_sums = {OperandSum{.adds = true, .scale = 0.5}, OperandSum{.adds = true, .scale = -1}};
  p.epilogue = {.alpha = -1.5,
                .tensors = 2,
                .unary = Unary::kLeakyRelu,
                .unary_parameter = 0.25,
                .low = 0,
                .high = 6};
  p.epilogue.d[0].stride = {9, 0, 0, 1, 0, 0};
  p.epilogue.d[1] = {
      .op = EpilogueTensor::Op::kMultiply, .scale = 2, .type = DataType::kF32, .stride = {}};
  EXPECT_EQ(ToString(p), sizes +
                             " a = a * 0.5 + a1 b = b * -1 + b1 alpha -1.5 add 1 f16 [9 0 0 1 0 0] "
                             "mul 2 f32 [0 0 0 0 0 0] leaky_relu 0.25 clamp [0, 6]");
}

TEST(ParseProblem, ReadsWhatIsPrinted) {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    ConvProblem p = RandomProblem(random);
    p.layout = kAllLayouts[i % std::size(kAllLayouts)];
    p.weight_layout = kAllWeightLayouts[i % std::size(kAllWeightLayouts)];
    if (i % 5 == 0) p.type = DataType::kBF16;
    if (i % 7 == 0 && p.direction == Direction::kForward) p.type = DataType::kI8;
    if (i % 11 == 0) p.type = DataType::kTF32;
    if (i % 3 == 0) p.out_type = DataType::kF32;
    const auto read = ParseProblem(ToString(p));
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(ToString(*read), ToString(p));
    EXPECT_EQ(read->dims, p.dims) << ToString(p);
    EXPECT_EQ(read->rank, p.rank) << ToString(p);
    EXPECT_EQ(read->output_type(), p.output_type()) << ToString(p);
  }
}

TEST(ParseProblem, AnythingElseIsASentence) {
  const std::string text = ToString(ConvProblem{.rank = 1, .dims = {Dim{}, Dim{}, Dim{.in = 9}}});
  ASSERT_TRUE(ParseProblem(text).ok());
  for (const std::string& bad :
       {std::string(), text.substr(0, text.size() - 1), text + " ", text + " alpha 2",
        absl::StrReplaceAll(text, {{"g1", "g0"}}), absl::StrReplaceAll(text, {{"f16", "f17"}}),
        absl::StrReplaceAll(text, {{"stride 1", "stride 0"}}),
        absl::StrReplaceAll(text, {{"stride 1", "strides 1"}}),
        absl::StrReplaceAll(text, {{"filter 1", "filter one"}}),
        absl::StrReplaceAll(text, {{"pad 0", "pad 0:end"}}),
        absl::StrReplaceAll(text, {{"out 9", "out 8"}}),
        absl::StrReplaceAll(text, {{"fwd", "forward"}})}) {
    EXPECT_THAT(ParseProblem(bad).status().message(),
                HasSubstr("is not a problem as it is printed"))
        << bad;
  }
}

}  // namespace
}  // namespace gridwise
