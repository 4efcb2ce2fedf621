// SPDX-License-Identifier: MIT
/// Lines of find-db, ckProfiler, examples, XLA and StableHLO.

#include <string>
#include <string_view>

#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/gridwise/import/ck_profiler.h"
#include "tools/gridwise/import/hlo.h"
#include "tools/gridwise/import/line.h"
#include "tools/gridwise/import/miopen_find_db.h"
#include "tools/gridwise/import/stablehlo.h"

namespace gridwise {
namespace {

using ::testing::HasSubstr;

/// "fwd f16 ...; the note" of a line with one problem; else what it is instead.
std::string DescribeLine(const LineReader& reader, std::string_view line) {
  const ImportedLine read = reader(line);
  if (!read.ok()) return std::string(read.status().message());
  if (!read->has_value()) return "of another kind";
  const ImportedItem& item = **read;
  if (item.problems.size() != 1) return "skipped " + item.skipped;
  return ToString(item.problems[0]) + (item.note.empty() ? "" : "; " + item.note);
}

TEST(MIOpenFindDb, Keys) {
  EXPECT_EQ(
      DescribeLine(ReadMIOpenFindDb,
                   "64-56-56-3x3-128-28-28-32-1x1-2x2-1x1-0-NHWC-NHWC-NHWC-FP16-F_g2="
                   "ConvHipImplicitGemmGroupFwdXdlops:0.07,0,miopenConvolutionFwdAlgoImplicitGEMM"),
      "fwd f16 g2 n32 c64 k128 in 56x56 filter 3x3 stride 2x2 dilation 1x1 pad 1x1 out 28x28");
  EXPECT_EQ(
      DescribeLine(ReadMIOpenFindDb, "128-28-28-3x3-64-56-56-32-1x1-2x2-1x1-0-NCHW-BF16-W_g2"),
      "bwd_weight bf16 g2 n32 c64 k128 in 56x56 filter 3x3 stride 2x2 dilation 1x1 pad 1x1 "
      "out 28x28 ngchw; its weights are KCYX");
  EXPECT_EQ(DescribeLine(ReadMIOpenFindDb,
                         "16-1-14-14-1x3x3-8-1-14-14-1-0x1x1-1x1x1-1x1x1-0-NCDHW-FP32-B"),
            "bwd_data f32 g1 n1 c8 k16 in 1x14x14 filter 1x3x3 stride 1x1x1 dilation 1x1x1 pad "
            "0x1x1 out 1x14x14 ngchw; its weights are KCYX");
}

TEST(MIOpenFindDb, WrongKeys) {
  EXPECT_THAT(DescribeLine(ReadMIOpenFindDb, "64-56-56-3x3-128-27-27-32-1x1-2x2-1x1-0-NCHW-FP16-F"),
              HasSubstr("the output is 27x27; these sizes make 28x28"));
  EXPECT_THAT(DescribeLine(ReadMIOpenFindDb, "64-56-56-3x3-128-28-28-32-1-2x2-1x1-0-NCHW-FP16-F"),
              HasSubstr("the padding is '1'; must have 2 numbers"));
  EXPECT_THAT(DescribeLine(ReadMIOpenFindDb, "64-56-56-3x3-128-28-28-32-1x1-2x2-1x1-0-NCHW-FP16-X"),
              HasSubstr("the direction is X; must be F, B or W"));
  EXPECT_THAT(DescribeLine(ReadMIOpenFindDb, "64-56-56-3x3-128-28-28-32-1x1-2x2-1x1-0-NCHW-FP64-F"),
              HasSubstr("the type is FP64"));
  EXPECT_THAT(
      DescribeLine(ReadMIOpenFindDb, "64-56-56-3x3-128-28-28-32-1x1-2x2-1x1-0-NCHW-FP16-F_ci8"),
      HasSubstr("'_ci8'"));
  EXPECT_THAT(DescribeLine(ReadMIOpenFindDb,
                           "64-56-56-3x3-128-28-28-32-1x1-2x2-1x1-0-NHWC-NCHW-NHWC-FP16-F"),
              HasSubstr("the layouts are NHWC and NCHW; Gridwise has one for all tensors"));
  EXPECT_THAT(
      DescribeLine(ReadMIOpenFindDb, "64-56-56-3x3-128-28-28-32-1x1-2x2-1x1-0-NHWC-NHWC-FP16-F"),
      HasSubstr("the key has 4 fields after the bias; must have 3 or 5"));
  EXPECT_THAT(DescribeLine(ReadMIOpenFindDb, "64-56-56-3x3-128-28-x-32-1x1-2x2-1x1-0-NCHW-FP16-F"),
              HasSubstr("the output size is 'x'"));
  EXPECT_THAT(DescribeLine(ReadMIOpenFindDb, "64-56-56-3x3-128-28"), HasSubstr("of another kind"));
  EXPECT_EQ(DescribeLine(ReadMIOpenFindDb, "--------------------"), "of another kind");
  EXPECT_EQ(DescribeLine(ReadMIOpenFindDb, "2026-11-29-a-b-c-d-e-f"), "of another kind");
}

TEST(CkProfiler, GroupsMultiplyTheChannels) {
  EXPECT_EQ(DescribeLine(
                ReadCkProfiler,
                "ckProfiler grouped_conv_fwd 1 1 0 1 1 0 1 2 32 32 8 8 3 3 50 50 1 1 1 1 1 1 1 1"),
            "fwd f16 g32 n32 c256 k256 in 50x50 filter 3x3 stride 1x1 dilation 1x1 pad 1x1 out "
            "50x50");
  // As before INDEX was added.
  EXPECT_EQ(DescribeLine(ReadCkProfiler,
                         "./bin/ckProfiler grouped_conv_fwd 2 0 1 1 0 1 1 4 2 8 16 3 50 1 1 1 0"),
            "fwd bf16 g4 n2 c64 k32 in 50 filter 3 stride 1 dilation 1 pad 1:0 out 49 gnhwc");
  EXPECT_EQ(
      DescribeLine(ReadCkProfiler,
                   "ckProfiler grouped_conv_bwd_weight 5 2 1 1 0 1 2 1 8 64 32 3 3 28 28 2 2 1 1 1 "
                   "1 1 1 -1"),
      "bwd_weight bf16 g1 n8 c32 k64 in 28x28 filter 3x3 stride 2x2 dilation 1x1 pad 1x1 out "
      "14x14");
  EXPECT_EQ(
      DescribeLine(ReadCkProfiler,
                   "ckProfiler grouped_conv_bwd_data 1 3 1 2 0 1 2  1 2 32 32 3 3 13 13 2 2 1 1 1 "
                   "1 1 1"),
      "bwd_data f16 g1 n2 c32 k32 in 13x13 filter 3x3 stride 2x2 dilation 1x1 pad 1x1 out "
      "7x7 ngchw; its weights are KCYX");
}

TEST(CkProfiler, OthersAreSkippedAndWrongOnesNamed) {
  EXPECT_EQ(DescribeLine(ReadCkProfiler, "ckProfiler gemm 1 1 1 1 0 1 3840 4096 4096"),
            "skipped gemm");
  EXPECT_EQ(DescribeLine(ReadCkProfiler, "ckProfiler grouped_conv_fwd 1 1 2 --instances"),
            "skipped --instances");
  EXPECT_THAT(DescribeLine(ReadCkProfiler, "ckProfiler grouped_conv_bwd_weight 3 2 1 1 0 1 2"),
              HasSubstr("the type is 3, which Gridwise does not have"));
  EXPECT_THAT(DescribeLine(ReadCkProfiler, "ckProfiler grouped_conv_bwd_weight 1 0 1 1 0 1 2"),
              HasSubstr("the layout is 0, which Gridwise does not have"));
  EXPECT_THAT(DescribeLine(ReadCkProfiler, "ckProfiler grouped_conv_bwd_data 1 1 1 1 0 1 2 1 2 3"),
              HasSubstr("3 numbers follow ND = 2; must be 16"));
  EXPECT_THAT(DescribeLine(ReadCkProfiler, "ckProfiler grouped_conv_fwd 1"),
              HasSubstr("is followed by 1 words"));
  EXPECT_EQ(DescribeLine(ReadCkProfiler, "make ckProfiler"), "of another kind");
}

TEST(CkExample, OwnSizesAndGivenOnes) {
  EXPECT_EQ(DescribeLine(ReadCkExample, "./bin/example_grouped_conv_bwd_data_xdl_fp16 1 1 1"),
            "bwd_data f16 g32 n4 c6144 k6144 in 28x28 filter 3x3 stride 1x1 dilation 1x1 pad 1x1 "
            "out 28x28; the example's own sizes");
  EXPECT_EQ(
      DescribeLine(ReadCkExample, "example_convnd_fwd_xdl_bf16 1 1 0 1 1 8 64 32 3 28 2 1 1 1"),
      "fwd bf16 g1 n8 c32 k64 in 28 filter 3 stride 2 dilation 1 pad 1 out 14");
  EXPECT_EQ(DescribeLine(ReadCkExample, "example_grouped_conv_conv_fwd_xdl_fp16"),
            "skipped example_grouped_conv_conv_fwd_xdl_fp16");
}

TEST(Hlo, ForwardWithInlineShapes) {
  EXPECT_EQ(
      DescribeLine(HloReader(),
                   "  ROOT %convolution.3 = bf16[8,28,28,128]{3,2,1,0} "
                   "convolution(bf16[8,56,56,64]{3,2,1,0} %x, bf16[3,3,32,128]{3,2,1,0} %w), "
                   "window={size=3x3 stride=2x2 pad=0_1x0_1}, dim_labels=b01f_01io->b01f, "
                   "feature_group_count=2, metadata={op_name=\"jit(f)/conv\" source_line=3}"),
      "fwd bf16 g2 n8 c64 k128 in 56x56 filter 3x3 stride 2x2 dilation 1x1 pad 0x0:1x1 out 28x28; "
      "its weights are 01IO");
}

/// The gradients of the layer above, as JAX's transposition rules write them.
TEST(Hlo, GradientsAreRecognised) {
  const LineReader reader = HloReader();
  for (const std::string_view line :
       {"%dy = f16[8,28,28,128]{3,2,1,0} parameter(0)",
        "w.1 = f16[3,3,64,128]{3,2,1,0} parameter(1)", "x = f16[8,56,56,64] parameter(2)",
        "%rev = f16[3,3,64,128]{3,2,1,0} reverse(w.1), dimensions={0,1}"}) {
    EXPECT_THAT(DescribeLine(reader, line), HasSubstr("skipped"));
  }
  // pad 0_1: d(f - 1) - 0 = 2 before, and 1 after.
  EXPECT_EQ(DescribeLine(reader,
                         "%dx = f16[8,56,56,64]{3,2,1,0} convolution(%dy, %rev), window={size=3x3 "
                         "pad=2_1x2_1 lhs_dilate=2x2}, dim_labels=b01f_01oi->b01f"),
            "bwd_data f16 g1 n8 c64 k128 in 56x56 filter 3x3 stride 2x2 dilation 1x1 pad 0x0:1x1 "
            "out 28x28; its weights are 01IO");
  EXPECT_EQ(DescribeLine(reader,
                         "%dw = f16[3,3,64,128]{3,2,1,0} convolution(x, %dy), window={size=28x28 "
                         "pad=0_1x0_1 rhs_dilate=2x2}, dim_labels=f01b_i01o->01bf"),
            "bwd_weight f16 g1 n8 c64 k128 in 56x56 filter 3x3 stride 2x2 dilation 1x1 pad "
            "0x0:1x1 out 28x28; its weights are 01IO");
  EXPECT_EQ(DescribeLine(reader,
                         "%up = f16[8,56,56,64]{3,2,1,0} convolution(%dy, w.1), window={size=3x3 "
                         "pad=2_1x2_1 lhs_dilate=2x2}, dim_labels=b01f_01oi->b01f"),
            "bwd_data f16 g1 n8 c64 k128 in 56x56 filter 3x3 stride 2x2 dilation 1x1 pad 0x0:1x1 "
            "out 28x28; its taps are mirrored, its weights are 01IO");
}

TEST(Hlo, GroupedBackwardWeightHasBatchGroups) {
  EXPECT_EQ(DescribeLine(HloReader(),
                         "%dw = f32[3,3,16,64]{3,2,1,0} convolution(f32[8,14,14,32]{3,2,1,0} %x, "
                         "f32[8,14,14,64]{3,2,1,0} %dy), window={size=14x14 pad=1_1x1_1}, "
                         "dim_labels=f01b_i01o->01bf, batch_group_count=2"),
            "bwd_weight f32 g2 n8 c32 k64 in 14x14 filter 3x3 stride 1x1 dilation 1x1 pad 1x1 out "
            "14x14; its weights are 01IO");
}

TEST(Hlo, CallsOfCudnn) {
  constexpr std::string_view kWindow =
      "window={size=3x3 stride=2x2 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01, custom_call_target=";
  const auto call = [&](std::string_view shapes, std::string_view target) {
    return DescribeLine(HloReader(), std::string(shapes) + std::string(kWindow) + "\"__cudnn$conv" +
                                         std::string(target) +
                                         "\", backend_config={\"a\":{\"b\":0}}");
  };
  constexpr std::string_view kSizes =
      " f16 g1 n8 c64 k128 in 56x56 filter 3x3 stride 2x2 dilation 1x1 pad 1x1 out 28x28";
  EXPECT_EQ(call("%c = (f16[8,128,28,28]{1,3,2,0}, u8[0]{0}) custom-call(f16[8,64,56,56]{1,3,2,0} "
                 "%x, f16[128,64,3,3]{1,3,2,0} %w), ",
                 "Forward"),
            "fwd" + std::string(kSizes));
  EXPECT_EQ(call("%c = (f16[8,64,56,56]{1,3,2,0}, u8[0]{0}) custom-call(f16[8,128,28,28]{1,3,2,0} "
                 "%dy, f16[128,64,3,3]{1,3,2,0} %w), ",
                 "BackwardInput"),
            "bwd_data" + std::string(kSizes));
  EXPECT_EQ(call("%c = (f16[128,64,3,3]{1,3,2,0}, u8[0]{0}) custom-call(f16[8,64,56,56]{1,3,2,0} "
                 "%x, f16[8,128,28,28]{1,3,2,0} %dy), ",
                 "BackwardFilter"),
            "bwd_weight" + std::string(kSizes));
  EXPECT_EQ(
      DescribeLine(HloReader(),
                   "%g = f32[4,4]{1,0} custom-call(%a, %b), custom_call_target=\"__cublas$gemm\""),
      "skipped __cublas$gemm");
}

TEST(Hlo, WrongInstructionsAreNamed) {
  const auto text = [](std::string_view line) { return DescribeLine(HloReader(), line); };
  constexpr std::string_view kShapes =
      "%c = f16[8,8,8,4] convolution(f16[8,8,8,4] %x, f16[1,1,4,4] %w), ";
  const auto of = [&](std::string_view attributes) {
    return text(std::string(kShapes) + std::string(attributes));
  };
  EXPECT_THAT(of("window={size=1x1}, dim_labels=b01f_01io->b01f"), HasSubstr("fwd f16 g1 n8"));
  EXPECT_THAT(of("window={size=1x1 bias=3}, dim_labels=b01f_01io->b01f"),
              HasSubstr("the window's 'bias' is unknown"));
  EXPECT_THAT(of("window={size=1x1 stride=3}, dim_labels=b01f_01io->b01f"),
              HasSubstr("stride is '3'; must have a number for each axis"));
  EXPECT_THAT(of("window={size=1x1}, dim_labels=b01f"), HasSubstr("dim_labels is 'b01f'"));
  EXPECT_THAT(of("window={size=1x1}, dim_labels=b01_01io->b01f"), HasSubstr("are b01; must be"));
  EXPECT_THAT(of("window={size=3x1}, dim_labels=b01f_01io->b01f"),
              HasSubstr("size is 3 where the filter's is 1"));
  EXPECT_THAT(of("window={size=1x1 stride=2x2}, dim_labels=b01f_01io->b01f"),
              HasSubstr("the output is 8x8; these sizes make 4x4"));
  EXPECT_THAT(of("window={size=1x1}, dim_labels=b01f_01io->b01f, feature_group_count=2"),
              HasSubstr("f dimension is 4; must be 8"));
  EXPECT_THAT(of("window={size=1x1 pad=-1_1x0_0}, dim_labels=b01f_01io->b01f"), HasSubstr("-1"));
  EXPECT_THAT(of("window={size=1x1 stride=2x2 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f"),
              HasSubstr("the stride is 2 and the base dilation 2; Gridwise has one of the two"));
  EXPECT_THAT(of("window={size=1x1}, dim_labels=b01f_01io->b01f, batch_group_count=2"),
              HasSubstr("the first operand's b dimension is 8; must be 16"));
  EXPECT_THAT(of("window={size=1x1}, dim_labels=b01f_01oi->f01b"),
              HasSubstr("the result's f dimension is 8; must be 4"));
  EXPECT_THAT(of("window={size=1x1}, dim_labels=b01f_01io->b01f, feature_group_count=0"),
              HasSubstr("feature_group_count is 0 and batch_group_count 1; must be >= 1"));
  EXPECT_THAT(text("%c = f16[8,1,1,1,1,4] convolution(f16[8,1,1,1,1,4] %x, f16[1,1,1,1,4,4] %w), "
                   "window={size=1x1x1x1}, dim_labels=b0123f_0123io->b0123f"),
              HasSubstr("the window has 4 axes; Gridwise has 1 to 3"));
  EXPECT_THAT(text("%c = f16[8,8,8,4] convolution(%x, %w), window={size=1x1}, "
                   "dim_labels=b01f_01io->b01f"),
              HasSubstr("no line before gives the shape of x"));
  EXPECT_THAT(text("%c = c64[8,8,8,4] convolution(c64[8,8,8,4] %x, c64[1,1,4,4] %w), "
                   "window={size=1x1}, dim_labels=b01f_01io->b01f"),
              HasSubstr("the types are c64, c64 and c64"));
  EXPECT_EQ(text("HloModule jit_f, entry_computation_layout={(f32[1]{0})->f32[1]{0}}"),
            "of another kind");
}

TEST(StableHlo, ForwardAndTransposed) {
  EXPECT_EQ(DescribeLine(
                StableHloReader(),
                "    %1 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, "
                "i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]]} "
                "{batch_group_count = 1 : i64, feature_group_count = 2 : i64, precision_config = "
                "[#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : "
                "(tensor<8x56x56x64xbf16>, tensor<3x3x32x128xbf16>) -> tensor<8x28x28x128xbf16> "
                "loc(#loc7)"),
            "fwd bf16 g2 n8 c64 k128 in 56x56 filter 3x3 stride 2x2 dilation 1x1 pad 0x0:1x1 out "
            "28x28; its weights are 01IO");
  EXPECT_EQ(DescribeLine(
                StableHloReader(),
                "%2 = stablehlo.convolution(%a, %b) dim_numbers = [b, f, 0]x[i, o, 0]->[b, f, "
                "0], window = {stride = [1], pad = [[2, 1]], lhs_dilate = [2], reverse = [true]} "
                "{feature_group_count = 1 : i64} : (tensor<2x128x28xf32>, tensor<128x64x3xf32>) "
                "-> tensor<2x64x56xf32>"),
            "bwd_data f32 g1 n2 c64 k128 in 56 filter 3 stride 2 dilation 1 pad 0:1 out 28 ngchw; "
            "its weights are OI0");
  EXPECT_EQ(DescribeLine(StableHloReader(), "%3 = stablehlo.add %1, %2 : tensor<4xf32>"),
            "skipped add");
  EXPECT_THAT(
      DescribeLine(StableHloReader(),
                   "%1 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, "
                   "f], window = {} {} : (tensor<?x8x4xf32>, tensor<1x4x4xf32>) -> "
                   "tensor<?x8x4xf32>"),
      HasSubstr("a size is '?'; must be an integer"));
  EXPECT_THAT(
      DescribeLine(StableHloReader(),
                   "%1 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, i, o]->[b, "
                   "0, 1, f], window = {} {} : (tensor<2x8x8x4xf32>, tensor<1x4x4xf32>) -> "
                   "tensor<2x8x8x4xf32>"),
      HasSubstr("the labels of a tensor of 4 dimensions are b01f; must be a permutation of bf0"));
  EXPECT_EQ(DescribeLine(StableHloReader(), "import stablehlo.convolution"), "of another kind");
}

TEST(StableHlo, AReversedFilterIsThatOfAGradient) {
  const LineReader reader = StableHloReader();
  EXPECT_EQ(
      DescribeLine(reader, "%0 = stablehlo.reverse %arg1, dims = [2, 3] : tensor<8x4x2x2xf32>"),
      "skipped reverse");
  constexpr std::string_view kConvolution =
      "%1 = stablehlo.convolution(%arg0, %0) dim_numbers = [b, f, 0, 1]x[i, o, 0, "
      "1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate "
      "= [2, 2]} {feature_group_count = 1 : i64} : (tensor<1x8x32x32xf32>, "
      "tensor<8x4x2x2xf32>) -> tensor<1x4x64x64xf32>";
  EXPECT_EQ(DescribeLine(reader, kConvolution),
            "bwd_data f32 g1 n1 c4 k8 in 64x64 filter 2x2 stride 2x2 dilation 1x1 pad 0x0 out "
            "32x32 ngchw; its weights are OI01");
  // Another function has another %0.
  EXPECT_EQ(DescribeLine(reader, "func.func private @f(%arg0: tensor<1x8x32x32xf32>) {"),
            "of another kind");
  EXPECT_THAT(DescribeLine(reader, kConvolution), HasSubstr("its taps are mirrored"));
}

}  // namespace
}  // namespace gridwise
