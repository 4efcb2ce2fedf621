// SPDX-License-Identifier: MIT
/// Files that other programs wrote: testdata/README.md.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/gridwise/import/import.h"
#include "tools/text/read_file.h"

namespace gridwise {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

ImportedSet ImportFile(std::string_view name) {
  const std::string path = absl::StrCat("tools/gridwise/import/testdata/", name);
  const absl::StatusOr<std::string> content = ReadFile(path);
  EXPECT_TRUE(content.ok()) << content.status();
  if (!content.ok()) return {};
  absl::StatusOr<ImportedSet> set = Import({{std::string(name), *content}}, /*program=*/"");
  EXPECT_TRUE(set.ok()) << set.status();
  return set.ok() ? *std::move(set) : ImportedSet();
}

/// "2 x fwd, bwd_data: fwd f16 ...", a line for each problem.
std::vector<std::string> LinesOf(const ImportedSet& set) {
  std::vector<std::string> lines;
  for (const NamedProblem& each : set.problems) {
    std::string directions;
    for (const Direction direction : each.directions) {
      absl::StrAppend(&directions, directions.empty() ? "" : ", ", Name(direction));
    }
    ConvProblem problem = each.problem;
    problem.direction = Direction::kForward;
    lines.push_back(absl::StrCat(each.count, " x ", directions, ": ", ToString(problem)));
  }
  return lines;
}

/// Each run prints its command line, and MIOpen logs what it searches a kernel for: the same
/// problems, in other words. A transposed convolution of groups is logged with the channels of a
/// group, and "same" with the padding that it means. A problem that is searched and run counts
/// once.
TEST(RealFiles, LogOfMIOpen) {
  const ImportedSet set = ImportFile("miopen.log");
  EXPECT_THAT(
      LinesOf(set),
      ElementsAre("1 x fwd: fwd f16 g1 n8 c64 k128 in 28x28 filter 3x3 stride 2x2 dilation 1x1 pad "
                  "1x1 out 14x14 ngchw",
                  "1 x bwd_data: fwd bf16 g4 n4 c64 k64 in 14x14 filter 3x3 stride 1x1 dilation "
                  "1x1 pad 1x1 out 14x14",
                  "1 x bwd_weight: fwd f32 g1 n2 c16 k8 in 15x17 filter 5x3 stride 1x1 dilation "
                  "2x1 pad 2x1 out 11x17 ngchw",
                  "1 x bwd_data: fwd f16 g1 n2 c16 k32 in 18x18 filter 4x4 stride 2x2 dilation 1x1 "
                  "pad 1x1 out 9x9 ngchw",
                  "1 x bwd_data: fwd f16 g2 n2 c16 k32 in 18x18 filter 4x4 stride 2x2 dilation 1x1 "
                  "pad 1x1 out 9x9 ngchw",
                  "1 x fwd: fwd f32 g1 n1 c8 k4 in 6x10x12 filter 3x3x3 stride 1x1x1 dilation "
                  "1x1x1 pad 1x1x1 out 6x10x12 ngchw",
                  "1 x fwd: fwd i8->i32 g1 n1 c16 k16 in 8x8 filter 1x1 stride 1x1 dilation 1x1 "
                  "pad 0x0 out 8x8 ngchw",
                  "1 x fwd: fwd f32 g1 n16 c3 k24 in 32x32 filter 7x7 stride 2x2 dilation 1x1 pad "
                  "2x2 out 15x15 ngchw",
                  "1 x bwd_weight: fwd f16 g48 n4 c48 k48 in 12x12 filter 3x3 stride 1x1 dilation "
                  "1x1 pad 1x1 out 12x12 ngchw",
                  "1 x fwd, bwd_data, bwd_weight: fwd f32 g1 n2 c8 k8 in 7x7 filter 3x3 stride 1x1 "
                  "dilation 1x1 pad 1x1 out 7x7 ngchw"));
  EXPECT_THAT(set.report.front(), HasSubstr("12 convolutions, 10 of them different (24 MIOpen"));
}

/// `zcat | sed "s/--forw .//" | sort | uniq -c` has 16 lines, 15 of them 3 times and one twice: the
/// first layer, whose input has no gradient (`grep -c "forw 2"`: 15).
TEST(RealFiles, NetworkOfMIOpen) {
  const ImportedSet set = ImportFile("miopen_shufflenet.txt.gz");
  ASSERT_EQ(set.problems.size(), 16u);
  EXPECT_THAT(set.report.front(), HasSubstr("47 convolutions, 16 of them different"));
  for (const NamedProblem& each : set.problems) {
    EXPECT_EQ(each.directions.size(), each.problem.c == 3 ? 2u : 3u);
    EXPECT_EQ(each.problem.batch, 128);
    EXPECT_EQ(each.problem.type, DataType::kF16);
  }
}

/// The layer with stride 2 is in the database three times, by each direction's own operands.
TEST(RealFiles, DatabaseOfMIOpen) {
  EXPECT_THAT(
      LinesOf(ImportFile("miopen_find_db.txt")),
      ElementsAre("1 x fwd: fwd f32 g32 n16 c1024 k1024 in 14x14 filter 3x3 stride 1x1 dilation "
                  "1x1 pad 1x1 out 14x14 ngchw",
                  "1 x bwd_data, bwd_weight: fwd f32 g1 n8 c640 k1280 in 16x16 filter 1x1 stride "
                  "1x1 dilation 1x1 pad 0x0 out 16x16",
                  "1 x fwd, bwd_data, bwd_weight: fwd f16 g144 n16 c144 k144 in 28x28 filter 5x5 "
                  "stride 2x2 dilation 1x1 pad 2x2 out 14x14 ngchw"));
}

/// Composable Kernel's converter and this program read the same lines of MIOpenDriver.
TEST(RealFiles, CommandsOfCkProfiler) {
  constexpr std::string_view kDriver =
      "MIOpenDriver convfp16 -n 8 -c 64 -H 28 -W 28 -k 128 -y 3 -x 3 -p 1 -q 1 -u 2 -v 2 -F 1\n"
      "MIOpenDriver convbfp16 -n 4 -c 64 -H 14 -W 14 -k 64 -y 3 -x 3 -p 1 -q 1 -g 4 -F 1\n"
      "MIOpenDriver conv -n 2 -c 16 -H 15 -W 17 -k 8 -y 5 -x 3 -p 2 -q 1 -l 2 -j 1 -F 4\n"
      "MIOpenDriver conv -_ 3 -n 1 -c 8 -! 6 -H 10 -W 12 -k 4 -@ 3 -y 3 -x 3 -$ 1 -p 1 -q 1 -F 1\n"
      "MIOpenDriver convint8 -n 1 -c 16 -H 8 -W 8 -k 16 -y 1 -x 1 -p 0 -q 0 -F 1\n"
      "MIOpenDriver convfp16 -n 4 -c 48 -H 12 -W 12 -k 48 -y 3 -x 3 -p 1 -q 1 -g 48 -F 5\n";
  const absl::StatusOr<ImportedSet> driver = Import({{"driver", std::string(kDriver)}}, "");
  ASSERT_TRUE(driver.ok()) << driver.status();
  EXPECT_EQ(LinesOf(ImportFile("ck_profiler.txt")), LinesOf(*driver));
}

TEST(RealFiles, ProgramsOfJax) {
  for (const std::string_view file : {"jax.hlo", "jax.mlir"}) {
    SCOPED_TRACE(file);
    const ImportedSet set = ImportFile(file);
    EXPECT_THAT(
        LinesOf(set),
        ElementsAre("1 x fwd, bwd_data, bwd_weight: fwd f16 g1 n8 c3 k32 in 64x64 filter 7x7 "
                    "stride 2x2 dilation 1x1 pad 2x2:3x3 out 32x32",
                    "1 x fwd, bwd_data, bwd_weight: fwd f16 g4 n8 c32 k64 in 32x32 filter 3x3 "
                    "stride 2x2 dilation 1x1 pad 0x0:1x1 out 16x16",
                    "1 x fwd, bwd_data, bwd_weight: fwd f16 g1 n8 c64 k48 in 16x16 filter 3x3 "
                    "stride 1x1 dilation 2x2 pad 0x0 out 12x12",
                    "1 x fwd, bwd_data, bwd_weight: fwd f16 g1 n8 c48 k40 in 12x12 filter 3x3 "
                    "stride 1x1 dilation 1x1 pad 0x1:1x2 out 11x13",
                    "1 x fwd, bwd_data, bwd_weight: fwd f16 g1 n8 c24 k40 in 22x26 filter 4x4 "
                    "stride 2x2 dilation 1x1 pad 1x1 out 11x13"));
    ASSERT_EQ(set.report.size(), 2u);
    EXPECT_THAT(set.report[0], HasSubstr("15 convolutions, 5 of them different"));
  }
}

/// XLA pads before it calls cuDNN, and computes some gradients as forward convolutions. All 15 are
/// calls: `grep -c custom_call_target=.__cudnn.conv`.
TEST(RealFiles, OptimizedProgramsOfJax) {
  const ImportedSet set = ImportFile("jax_optimized.hlo");
  ASSERT_EQ(set.report.size(), 2u);
  EXPECT_THAT(set.report[0], HasSubstr("15 convolutions, 12 of them different"));
  std::map<std::string, std::int64_t> calls;
  for (const NamedProblem& each : set.problems) {
    for (const Direction direction : each.directions) {
      calls[std::string(Name(direction))] += each.count;
    }
  }
  EXPECT_THAT(calls, ElementsAre(Pair("bwd_data", 2), Pair("bwd_weight", 3), Pair("fwd", 10)));
}

/// The layers of the network, as `%s` of type, directions and layout.
std::vector<std::string> LayersOfTorch(std::string_view first, std::string_view others,
                                       std::string_view last, std::string_view type,
                                       std::string_view layout) {
  const auto line = [&](std::string_view count, std::string_view directions,
                        std::string_view sizes) {
    return absl::StrCat(count, " x ", directions, ": fwd ", type, " ", sizes, layout);
  };
  return {line("1", first,
               "g1 n4 c3 k32 in 64x64 filter 7x7 stride 2x2 dilation 1x1 pad 3x3 out 32x32"),
          line("1", others,
               "g4 n4 c32 k64 in 32x32 filter 3x3 stride 2x2 dilation 1x1 pad 1x1 out 16x16"),
          line("1", others,
               "g1 n4 c64 k48 in 16x16 filter 3x3 stride 1x1 dilation 2x2 pad 2x2 out 16x16"),
          line("2", others,
               "g48 n4 c48 k48 in 16x16 filter 3x3 stride 1x1 dilation 1x1 pad 1x1 out 16x16"),
          line("1", last,
               "g1 n4 c24 k48 in 33x33 filter 4x4 stride 2x2 dilation 1x1 pad 1x1 out 16x16")};
}

/// PyTorch's own count of the same step, `key_averages(group_by_input_shape=True)`, has 6
/// aten::convolution and 6 aten::convolution_backward, which make 11 gradients.
TEST(RealFiles, TraceOfPyTorch) {
  const ImportedSet set = ImportFile("torch_trace.json.gz");
  EXPECT_EQ(LinesOf(set), LayersOfTorch("fwd, bwd_weight", "fwd, bwd_data, bwd_weight",
                                        "fwd, bwd_data, bwd_weight", "bf16", ""));
  ASSERT_EQ(set.report.size(), 2u);
  EXPECT_THAT(set.report[0], HasSubstr("17 convolutions, 5 of them different"));
}

TEST(RealFiles, ExportedProgramOfPyTorch) {
  const ImportedSet set = ImportFile("torch_export.txt");
  EXPECT_EQ(LinesOf(set), LayersOfTorch("fwd", "fwd", "bwd_data", "f32", " ngchw"));
  EXPECT_EQ(set.problems[0].note, "torch_export.txt:5; its strides are not given; taken as NCHW");
  ASSERT_EQ(set.report.size(), 2u);
  EXPECT_THAT(set.report[1], HasSubstr("left out: 3 aten.relu"));
}

TEST(RealFiles, CompiledProgramOfPyTorch) {
  const ImportedSet set = ImportFile("torch_aot_graphs.log");
  EXPECT_THAT(LinesOf(set),
              ElementsAre("1 x fwd, bwd_weight: fwd bf16 g1 n4 c3 k32 in 64x64 filter 7x7 stride "
                          "2x2 dilation 1x1 pad 3x3 out 32x32",
                          "1 x fwd, bwd_data, bwd_weight: fwd bf16 g4 n4 c32 k64 in 32x32 filter "
                          "3x3 stride 2x2 dilation 1x1 pad 1x1 out 16x16",
                          "1 x fwd, bwd_data, bwd_weight: fwd bf16 g1 n4 c24 k64 in 32x32 filter "
                          "4x4 stride 2x2 dilation 1x1 pad 1x1 out 16x16"));
}

/// How often each problem is computed in each direction. Those of one axis are images of one line,
/// as PyTorch gives them to cuDNN.
std::map<std::string, std::int64_t> RunsOf(const ImportedSet& set) {
  std::map<std::string, std::int64_t> runs;
  for (const NamedProblem& each : set.problems) {
    for (const Direction direction : each.directions) {
      ConvProblem problem = each.problem;
      problem.direction = direction;
      problem.rank = std::max(problem.rank, 2);
      runs[ToString(problem)] += each.count;
    }
  }
  return runs;
}

/// PyTorch's own count of the same run, `key_averages()`, has 26 aten::convolution, 22
/// aten::convolution_backward, which make 44 gradients, and two fused convolutions.
TEST(RealFiles, TraceOfPyTorchOnNvidia) {
  const ImportedSet set = ImportFile("torch_cuda_trace.json.gz");
  ASSERT_EQ(set.report.size(), 2u);
  EXPECT_THAT(set.report[0], HasSubstr("72 convolutions, 21 of them different"));
  EXPECT_THAT(set.report[1], HasSubstr("left out: "));
}

/// Of the convolutions that PyTorch's profiler shows, cuDNN computes all but a depthwise one in
/// f32, forward and backward: its profile has one aten::_conv_depthwise2d. The log has three
/// operations after each of two convolutions.
TEST(RealFiles, CallsOfCudnn) {
  std::map<std::string, std::int64_t> expected = RunsOf(ImportFile("torch_cuda_trace.json.gz"));
  const auto erased = std::erase_if(
      expected, [](const auto& run) { return run.first.find(" f32 g48 ") != run.first.npos; });
  EXPECT_EQ(erased, 3u);
  const ImportedSet set = ImportFile("cudnn_calls.log.gz");
  EXPECT_EQ(RunsOf(set), expected);
  ASSERT_EQ(set.report.size(), 2u);
  EXPECT_THAT(set.report[0], HasSubstr("69 convolutions, 20 of them different (127 calls of "));
  EXPECT_THAT(set.report[1], HasSubstr("left out: 6 POINTWISE"));
}

/// The front end's log of the same run has a graph for each shape: `grep -c ^Tag:` has 58, two of
/// which repeat a third one's convolution.
TEST(RealFiles, GraphsThatPyTorchBuilds) {
  std::map<std::string, std::int64_t> expected = RunsOf(ImportFile("cudnn_calls.log.gz"));
  for (auto& [problem, count] : expected) {
    count = problem ==
                    "fwd f16 g1 n4 c64 k64 in 28x28 filter 3x3 stride 1x1 dilation 1x1 pad 1x1 "
                    "out 28x28"
                ? 3
                : 1;
  }
  const ImportedSet set = ImportFile("cudnn_frontend.log.gz");
  EXPECT_EQ(RunsOf(set), expected);
  EXPECT_THAT(set.report.front(), HasSubstr("58 convolutions, 20 of them different"));
}

/// A program builds them by the front end 1.23. The second one adds a bias, and takes what is
/// positive.
TEST(RealFiles, GraphsOfCudnn) {
  const ImportedSet set = ImportFile("cudnn_graphs.log.gz");
  EXPECT_THAT(
      LinesOf(set),
      ElementsAre("1 x fwd: fwd f16 g2 n8 c64 k128 in 56x56 filter 3x3 stride 2x2 dilation 1x1 pad "
                  "1x1 out 28x28",
                  "1 x fwd: fwd f16 g1 n4 c16 k32 in 20x22 filter 3x3 stride 1x1 dilation 1x1 pad "
                  "0x1:1x2 out 19x23",
                  "1 x bwd_data: fwd bf16 g1 n4 c32 k64 in 32x32 filter 4x4 stride 2x2 dilation "
                  "1x1 pad 1x1 out 16x16",
                  "1 x bwd_weight: fwd f16 g1 n4 c64 k64 in 28x28 filter 3x3 stride 1x1 dilation "
                  "2x2 pad 2x2 out 28x28",
                  "1 x fwd: fwd f32 g1 n2 c8 k16 in 6x12x14 filter 3x3x3 stride 1x2x2 dilation "
                  "1x1x1 pad 1x1x1 out 6x6x7 ngchw"));
  ASSERT_EQ(set.report.size(), 2u);
  EXPECT_THAT(set.report[1], HasSubstr("left out: 2 POINTWISE"));
}

/// Three layers in three directions, two of them also with a bias and an activation, by the
/// functions before version 8. What cuDNN 9 does inside of them is in the log, too.
TEST(RealFiles, FunctionsOfCudnn) {
  const ImportedSet set = ImportFile("cudnn_functions.log.gz");
  EXPECT_THAT(set.report.front(), HasSubstr("11 convolutions, 3 of them different (13 calls of "));
  EXPECT_THAT(
      RunsOf(set),
      UnorderedElementsAre(
          Pair("fwd f16 g4 n4 c64 k128 in 28x30 filter 3x3 stride 2x2 dilation 1x1 pad 1x1 out "
               "14x15",
               2),
          Pair("bwd_data f16 g4 n4 c64 k128 in 28x30 filter 3x3 stride 2x2 dilation 1x1 pad 1x1 "
               "out 14x15",
               1),
          Pair("bwd_weight f16 g4 n4 c64 k128 in 28x30 filter 3x3 stride 2x2 dilation 1x1 pad 1x1 "
               "out 14x15",
               1),
          Pair("fwd f32 g1 n2 c8 k12 in 17x19 filter 5x3 stride 1x1 dilation 2x1 pad 2x1 out 13x19 "
               "ngchw",
               2),
          Pair("bwd_data f32 g1 n2 c8 k12 in 17x19 filter 5x3 stride 1x1 dilation 2x1 pad 2x1 out "
               "13x19 ngchw",
               1),
          Pair("bwd_weight f32 g1 n2 c8 k12 in 17x19 filter 5x3 stride 1x1 dilation 2x1 pad 2x1 "
               "out 13x19 ngchw",
               1),
          Pair("fwd f32 g1 n2 c4 k8 in 6x10x12 filter 3x3x3 stride 1x2x2 dilation 1x1x1 pad 1x1x1 "
               "out 6x5x6 ngchw",
               1),
          Pair("bwd_data f32 g1 n2 c4 k8 in 6x10x12 filter 3x3x3 stride 1x2x2 dilation 1x1x1 pad "
               "1x1x1 out 6x5x6 ngchw",
               1),
          Pair("bwd_weight f32 g1 n2 c4 k8 in 6x10x12 filter 3x3x3 stride 1x2x2 dilation 1x1x1 pad "
               "1x1x1 out 6x5x6 ngchw",
               1)));
}

}  // namespace
}  // namespace gridwise
