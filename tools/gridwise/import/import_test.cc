// SPDX-License-Identifier: MIT
#include "tools/gridwise/import/import.h"

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ImportedSet ImportText(const std::string& content) {
  absl::StatusOr<ImportedSet> set = Import({{"file", content}}, /*program=*/"");
  EXPECT_TRUE(set.ok()) << set.status();
  return set.ok() ? *set : ImportedSet();
}
std::string RefusalOf(const std::string& content) {
  return std::string(Import({{"file", content}}, /*program=*/"").status().message());
}

constexpr char kLog[] =
    "epoch 1\n"
    "MIOpen(HIP): Command [LogCmdFindConvolution] ./bin/MIOpenDriver convfp16 -n 4 -c 8 -k 16 -g 2 "
    "-F 1\n"
    "MIOpen(HIP): Command [LogCmdConvolution] ./bin/MIOpenDriver convfp16 -n 4 -c 8 -k 16 -g 2 -F "
    "1\n"
    "MIOpen(HIP): Command [LogCmdBNorm] ./bin/MIOpenDriver bnormfp16 -n 4\n"
    "MIOpen(HIP): Command [LogCmdConvolution] ./bin/MIOpenDriver convfp16 -n 4 -c 8 -k 16 -g 2 -F "
    "1\n"
    "MIOpen(HIP): Command [LogCmdConvolution] ./bin/MIOpenDriver convfp16 -n 4 -c 8 -k 16 -g 2 -F "
    "4\n"
    "MIOpen(HIP): Command [LogCmdConvolution] ./bin/MIOpenDriver conv -n 4 -c 8 -k 16 -g 2 -F 1\n"
    "MIOpen(HIP): Command [LogCmdConvolution] ./bin/MIOpenDriver conv -n 4 -c 9 -k 16 -g 2 -F 1\n";

/// A search does not count besides executions; types differ; directions of unequal counts are
/// problems of their own.
TEST(Import, EqualProblemsAreJoinedAndCounted) {
  const ImportedSet set = ImportText(kLog);
  ASSERT_EQ(set.problems.size(), 3u);
  EXPECT_EQ(set.problems[0].name, "l1_c8k16g2_32x32_3x3s1.fwd");
  EXPECT_EQ(set.problems[0].count, 2);
  EXPECT_THAT(set.problems[0].directions, ElementsAre(Direction::kForward));
  EXPECT_EQ(set.problems[0].note, "file:2; its weights are KCYX");
  EXPECT_EQ(set.problems[1].name, "l1_c8k16g2_32x32_3x3s1.bwd_weight");
  EXPECT_EQ(set.problems[1].count, 1);
  EXPECT_EQ(set.problems[2].problem.type, DataType::kF32);
  EXPECT_THAT(
      set.report,
      ElementsAre("file: 4 convolutions, 2 of them different (5 MIOpenDriver command lines)",
                  "file: left out: 1 bnormfp16",
                  HasSubstr("file:8: c is 9; must be a multiple of groups")));
}

TEST(Import, DirectionsOfOneCountAreOneProblemOfATable) {
  const ImportedSet set = ImportText("MIOpenDriver convbfp16 -n 4 -k 16\n");
  ASSERT_EQ(set.problems.size(), 1u);
  EXPECT_EQ(set.problems[0].directions.size(), 3u);
  const auto again = ParseProblems(PrintProblems(set.problems), "printed");
  ASSERT_TRUE(again.ok()) << again.status();
  ASSERT_EQ(again->size(), 1u);
  EXPECT_EQ(again->front().problem, set.problems[0].problem);
  EXPECT_EQ(again->front().directions, set.problems[0].directions);
  EXPECT_EQ(again->front().note, set.problems[0].note);
}

/// UTF-16 as PowerShell's redirection writes it.
std::string InUtf16(std::string_view text, bool big_endian) {
  std::string wide = big_endian ? "\xfe\xff" : "\xff\xfe";
  for (const char c : text) {
    if (big_endian) wide += '\0';
    wide += c;
    if (!big_endian) wide += '\0';
  }
  return wide;
}

TEST(Import, LineEndsAndByteOrderMarksDoNotMatter) {
  const std::string plain = PrintProblems(ImportText(kLog).problems);
  const std::string crlf = absl::StrReplaceAll(kLog, {{"\n", "\r\n"}});
  for (const std::string& content :
       {crlf, "\xef\xbb\xbf" + crlf, InUtf16(crlf, false), InUtf16(kLog, true)}) {
    EXPECT_EQ(PrintProblems(ImportText(content).problems), plain);
  }
  EXPECT_THAT(RefusalOf("\xff\xfe\x41"), HasSubstr("byte-order mark is that of UTF-16"));
}

TEST(Import, FilesMayBeCompressed) {
  // "MIOpenDriver conv\n", by gzip.
  constexpr unsigned char kBytes[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03,
                                      0xf3, 0xf5, 0xf4, 0x2f, 0x48, 0xcd, 0x73, 0x29, 0xca, 0x2c,
                                      0x4b, 0x2d, 0x52, 0x48, 0xce, 0xcf, 0x2b, 0xe3, 0x02, 0x00,
                                      0x16, 0x4e, 0x70, 0xf1, 0x12, 0x00, 0x00, 0x00};
  const std::string content(std::begin(kBytes), std::end(kBytes));
  EXPECT_EQ(PrintProblems(ImportText(content).problems),
            PrintProblems(ImportText("MIOpenDriver conv\n").problems));
  EXPECT_EQ(ImportText(content + content).problems.front().count, 2) << "of two parts";
  EXPECT_EQ(ImportText(content + "rest").problems.front().count, 1);
  EXPECT_THAT(RefusalOf(content.substr(0, content.size() - 9)), HasSubstr("damaged or incomplete"));
  EXPECT_THAT(RefusalOf(content + content.substr(0, 12)), HasSubstr("damaged or incomplete"));
}

TEST(Import, KindsMayBeMixed) {
  const ImportedSet set = ImportText(
      "64-56-56-3x3-128-28-28-32-1x1-2x2-1x1-0-NHWC-NHWC-NHWC-FP16-F_g2=X:1,0,a\n"
      "ckProfiler grouped_conv_fwd 1 1 0 1 1 0 1 2 2 32 64 32 3 3 56 56 2 2 1 1 1 1 1 1\n"
      "# ckProfiler in a comment\n");
  ASSERT_EQ(set.problems.size(), 1u);
  EXPECT_EQ(set.problems[0].count, 2);
  EXPECT_THAT(set.report.front(), HasSubstr("1 ckProfiler command lines, 1 keys of MIOpen's"));
}

TEST(Import, EqualProblemsOfFilesAreJoined) {
  const auto set = Import({{"a.log", "MIOpenDriver conv\n"},
                           {"b.json", "{"},
                           {"c.log", "MIOpenDriver conv\nMIOpenDriver conv -F 7\n"}},
                          /*program=*/"");
  ASSERT_TRUE(set.ok()) << set.status();
  ASSERT_EQ(set->problems.size(), 1u);
  EXPECT_EQ(set->problems[0].count, 3);
  EXPECT_EQ(set->problems[0].note, "a.log:1; its weights are KCYX");
  EXPECT_THAT(set->report, ElementsAre(HasSubstr("a.log, b.json, c.log: 9 convolutions, 1 of them"),
                                       HasSubstr("b.json: not JSON: [1:")));
}

TEST(Import, LogsMayBeginWithABracket) {
  const std::string log = "[rank0]: MIOpenDriver conv -F 1\n";
  const ImportedSet set = ImportText(log);
  ASSERT_EQ(set.problems.size(), 1u);
  EXPECT_EQ(set.problems[0].note, "file:1; its weights are KCYX");
  EXPECT_EQ(set.report.size(), 1u);
  EXPECT_THAT(RefusalOf("[rank0]: MIOpenDriver conv -n x\n"), HasSubstr("file:1: -n is 'x'"));
}

TEST(Import, NamesAreOfTheSourceAndDiffer) {
  const ImportedSet set = ImportText(
      "%a = f16[8,8,8,4] convolution(f16[8,8,8,4] %x, f16[1,1,4,4] %w), window={size=1x1}, "
      "dim_labels=b01f_01io->b01f\n"
      "%a = f32[8,8,8,4] convolution(f32[8,8,8,4] %x, f32[1,1,4,4] %w), window={size=1x1}, "
      "dim_labels=b01f_01io->b01f\n");
  ASSERT_EQ(set.problems.size(), 2u);
  EXPECT_EQ(set.problems[0].name, "a");
  EXPECT_EQ(set.problems[1].name, "a-2");
}

TEST(Import, OperationsOfSeveralLines) {
  const ImportedSet set = ImportText(
      "module {\n"
      "  %0 = stablehlo.convolution(%a, %b)\n"
      "    dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],\n"
      "    window = {pad = [[1, 1]]} {feature_group_count = 1 : i64}\n"
      "    : (tensor<2x8x4xf32>, tensor<3x4x8xf32>) -> tensor<2x8x8xf32>\n"
      "}\n"
      "  %c = f32[2,8,8] convolution(f32[2,8,4] %a, f32[3,4,8] %b),\n"
      "    window={size=3 pad=1_1},\n"
      "    dim_labels=b0f_0io->b0f\n");
  ASSERT_EQ(set.problems.size(), 1u);
  EXPECT_EQ(set.problems[0].count, 2);
  EXPECT_EQ(set.problems[0].note, "file:2; its weights are 0IO");
  EXPECT_THAT(RefusalOf("%0 = stablehlo.convolution(%a, %b)\nx\n"), HasSubstr("no convolution"));
}

TEST(Import, ReportsHaveNoControlCharacters) {
  const std::string colored = "MIOpenDriver conv -n \x1b[31m\nMIOpenDriver \x1b]0;pool -n 3\n";
  const std::string refusal = RefusalOf(colored);
  EXPECT_EQ(refusal.find('\x1b'), std::string::npos) << refusal;
  EXPECT_THAT(refusal, HasSubstr("file:1: -n is ' [31m'"));
  EXPECT_THAT(refusal, HasSubstr("left out: 1  ]0;pool"));
}

TEST(Import, FilesWithoutConvolutionsAreRefused) {
  EXPECT_THAT(RefusalOf(""), HasSubstr("no convolution is in file"));
  EXPECT_THAT(RefusalOf("MIOpenDriver pool -n 3\n"), HasSubstr("left out: 1 pool"));
  EXPECT_THAT(RefusalOf("\nMIOpenDriver conv -n x\n"), HasSubstr("file:2: -n is 'x'"));
  EXPECT_THAT(RefusalOf("{\"traceEvents\": ["), HasSubstr("not JSON: [1:"));
  EXPECT_THAT(RefusalOf("{\"nodes\": []}"), HasSubstr("its JSON is no trace"));
  EXPECT_THAT(RefusalOf(std::string(300, '[')), HasSubstr("JSON has 300 levels"));
  EXPECT_THAT(RefusalOf("\x1f\x8b\x08 broken"), HasSubstr("compressed by gzip, and damaged"));
}

/// The first 20 are told one by one.
TEST(Import, ManyWrongLinesAreCounted) {
  std::string log = "MIOpenDriver conv\n";
  for (int line = 0; line < 23; ++line) log += "MIOpenDriver conv -n x\n";
  const ImportedSet set = ImportText(log);
  ASSERT_EQ(set.report.size(), 22u);
  EXPECT_THAT(set.report[1], HasSubstr("file:2: -n is 'x'"));
  EXPECT_THAT(set.report[20], HasSubstr("file:21: -n is 'x'"));
  EXPECT_EQ(set.report[21], "file: 3 more are wrong");
}

/// The eight most frequent kinds are named.
TEST(Import, ManyKindsThatAreLeftOutAreCounted) {
  std::string log = "MIOpenDriver conv\nMIOpenDriver pool\nMIOpenDriver pool\n";
  for (const char c : std::string("abcdefghi")) {
    absl::StrAppend(&log, "MIOpenDriver ", std::string(1, c), "norm\n");
  }
  EXPECT_THAT(ImportText(log).report,
              Contains("file: left out: 2 pool, 1 anorm, 1 bnorm, 1 cnorm, 1 dnorm, 1 enorm, "
                       "1 fnorm, 1 gnorm, 2 others"));
}

std::string Event(std::string_view name, std::string_view arguments) {
  return absl::StrCat("{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"", name, "\",\"args\":{",
                      arguments, "}}");
}
std::string Trace(const std::vector<std::string>& events) {
  return absl::StrCat("{\"schemaVersion\":1,\"traceEvents\":[", absl::StrJoin(events, ",\n"), "]}");
}

constexpr char kForward[] =
    R"("Input Dims":[[8,64,56,56],[128,32,3,3],[],[],[],[],[],[],[]],
"Input type":["c10::Half","c10::Half","","ScalarList","ScalarList","ScalarList","Scalar","ScalarList","Scalar"],
"Input Strides":[[200704,1,3584,64],[288,1,96,32],[],[],[],[],[],[],[]],
"Concrete Inputs":["","","","[2, 2]","[1, 1]","[1, 1]","False","[0, 0]","2"])";
constexpr char kBackward[] =
    R"("Input Dims":[[8,128,28,28],[8,64,56,56],[128,32,3,3],[],[],[],[],[],[],[],[]],
"Input type":["c10::Half","c10::Half","c10::Half","ScalarList","","","","","","",""],
"Input Strides":[[100352,1,3584,128],[200704,1,3584,64],[288,1,96,32],[],[],[],[],[],[],[],[]],
"Concrete Inputs":["","","","[0]","[2, 2]","[1, 1]","[1, 1]","False","[0, 0]","2","[True, True, False]"])";

TEST(TorchTrace, ConvolutionsAndTheirGradients) {
  const ImportedSet set =
      ImportText(Trace({Event("aten::conv2d", kForward), Event("aten::convolution", kForward),
                        Event("aten::_convolution", kForward), Event("aten::relu_", ""),
                        Event("aten::convolution_backward", kBackward)}));
  ASSERT_EQ(set.problems.size(), 1u);
  EXPECT_EQ(ToString(set.problems[0].problem),
            "fwd f16 g2 n8 c64 k128 in 56x56 filter 3x3 stride 2x2 dilation 1x1 pad 1x1 out 28x28");
  EXPECT_EQ(set.problems[0].directions.size(), 3u);
  EXPECT_EQ(set.problems[0].count, 1);
  EXPECT_EQ(set.problems[0].note, "file, event 2");
  EXPECT_THAT(set.report,
              ElementsAre(HasSubstr("3 convolutions, 1 of them"), "file: left out: 1 aten::relu_"));
}

/// (14 - 1) * 2 + 3 - 2 + 1 = 28 pixels.
TEST(TorchTrace, TransposedConvolutions) {
  const ImportedSet set = ImportText(Trace({Event(
      "aten::convolution",
      R"("Input Dims":[[1,64,14],[64,16,3],[32],[],[],[],[],[],[]],"Input type":["float","float"],
"Concrete Inputs":["","","","[2]","[1]","[1]","True","[1]","2"])")}));
  ASSERT_EQ(set.problems.size(), 1u);
  EXPECT_EQ(ToString(set.problems[0].problem),
            "fwd f32 g2 n1 c32 k64 in 28 filter 3 stride 2 dilation 1 pad 1 out 14 ngchw");
  EXPECT_THAT(set.problems[0].directions, ElementsAre(Direction::kBackwardData));
  EXPECT_EQ(set.problems[0].note, "file, event 1; its strides are not given; taken as NCHW");
}

TEST(TorchTrace, WrongEventsAreNamed) {
  const auto refusal = [](std::string_view arguments) {
    return RefusalOf(Trace({Event("aten::convolution", arguments)}));
  };
  EXPECT_THAT(refusal(""), HasSubstr("file, event 1: the convolution has no Input Dims; profile"));
  EXPECT_THAT(refusal(R"("Input Dims":[[8,64],[128,32,3,3]])"),
              HasSubstr("the tensors have 2 and 4 dimensions"));
  EXPECT_THAT(refusal(R"("Input Dims":[[8,64,-5,5],[128,32,3,3]])"), HasSubstr("a size is -5"));
  EXPECT_THAT(refusal(R"("Input Dims":[[8,64,5,5],[128,32,3,3]])"),
              HasSubstr("stride is ''; must have 2 numbers"));
}

}  // namespace
}  // namespace gridwise
