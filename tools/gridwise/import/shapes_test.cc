// SPDX-License-Identifier: MIT
/// Programs of torch.fx, graphs of cuDNN's front end and hipDNN, and logs of cuDNN.

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "core/conv/problem_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/gridwise/import/import.h"

namespace gridwise {
namespace {

using ::testing::HasSubstr;

/// "1 x fwd f16 ...; the note" of each problem, or the error.
std::string DescribeProblems(const std::string& content) {
  const absl::StatusOr<ImportedSet> set = Import({{"file", content}}, /*program=*/"");
  if (!set.ok()) return std::string(set.status().message());
  std::string text;
  for (const NamedProblem& each : set->problems) {
    ConvProblem problem = each.problem;
    problem.direction = each.directions.front();
    absl::StrAppend(&text, text.empty() ? "" : "\n", each.count, " x ", ToString(problem), "; ",
                    each.note);
  }
  return text;
}

constexpr char kProgram[] =
    "def forward(self, x: \"f16[8, 64, 56, 56][200704, 1, 3584, 64]cuda:0\", "
    "w: \"f16[128, 32, 3, 3][288, 1, 96, 32]cuda:0\", t: \"f16[64, 16, 2, 2]\"):\n";

TEST(TorchProgram, DefaultsAndKeywords) {
  EXPECT_EQ(DescribeProblems(
                absl::StrCat(kProgram, "y = torch.ops.aten.conv2d.default(x, w, groups = 2)\n")),
            "1 x fwd f16 g2 n8 c64 k128 in 56x56 filter 3x3 stride 1x1 dilation 1x1 pad 0x0 out "
            "54x54; file:2");
  EXPECT_EQ(DescribeProblems(
                absl::StrCat(kProgram,
                             "y = torch.ops.aten.conv_transpose2d.input(x, t, None, 2, 0, 1, 4, "
                             "dilation = [3, 1])\n")),
            "1 x bwd_data f16 g4 n8 c64 k64 in 115x113 filter 2x2 stride 2x2 dilation 3x1 pad 0x0 "
            "out 56x56; file:2; its weights are KCYX");
  EXPECT_THAT(
      DescribeProblems(absl::StrCat(kProgram, "    x_1 = x\n",
                                    "y = torch.ops.aten.conv2d.default(x_1, w, groups = 2)\n")),
      HasSubstr("fwd f16 g2 n8 c64 k128 in 56x56"));
  EXPECT_THAT(
      DescribeProblems(absl::StrCat(kProgram, "    # File: net.py:3 in forward, code: w = x\n",
                                    "y = torch.ops.aten.conv2d.default(x, w, groups = 2)\n")),
      HasSubstr("fwd f16 g2 n8 c64 k128 in 56x56"));
  // A total of 2 for each axis.
  EXPECT_THAT(DescribeProblems(absl::StrCat(kProgram,
                                            "y = torch.ops.aten.conv2d.padding(x, w, None, [1, 1], "
                                            "'same', [1, 1], 2)\n")),
              HasSubstr("pad 1x1 out 56x56"));
}

TEST(TorchProgram, WrongOnesAreNamed) {
  const auto refusal = [](std::string_view call) {
    return DescribeProblems(absl::StrCat(kProgram, "y = torch.ops.aten.", call, "\n"));
  };
  EXPECT_THAT(refusal("conv2d.default(z, w)"),
              HasSubstr("file:2: the sizes of the input, 'z', are not given before"));
  EXPECT_THAT(refusal("conv2d.default(x, w)"),
              HasSubstr("the input has 64 channels and the weights 128x32x3x3 in 1 groups"));
  EXPECT_THAT(refusal("conv2d.default(x, w, None, [2, a], 0, 1, 2)"), HasSubstr("stride is 'a'"));
  EXPECT_THAT(refusal("conv2d.default(x, w, None, [2, 2, 2], 0, 1, 2)"),
              HasSubstr("the stride is '2, 2, 2'; must have 2 numbers"));
  EXPECT_THAT(refusal("conv2d.default("), HasSubstr("'', are not given before"));
  EXPECT_THAT(
      DescribeProblems("%y = call_function[target=torch.ops.aten.conv2d.default](args = (%x, %w))"),
      HasSubstr("file:1: a graph has no sizes"));
  EXPECT_THAT(DescribeProblems("# y = torch.ops.aten.conv2d.default(x, w)"),
              HasSubstr("no convolution"));
}

TEST(TorchProgram, AnOpenNumberOfImages) {
  const std::string text = absl::StrReplaceAll(kProgram, {{"f16[8", "f16[s77"}});
  EXPECT_THAT(
      DescribeProblems(
          absl::StrCat(text, "y = torch.ops.aten.conv2d.default(x, w, None, 1, 0, 1, 2)\n")),
      HasSubstr("n1 c64 k128 in 56x56 filter 3x3 stride 1x1 dilation 1x1 pad 0x0 out 54x54; "
                "file:2; its number of images is open; taken as 1"));
  EXPECT_THAT(
      DescribeProblems(absl::StrCat(absl::StrReplaceAll(kProgram, {{"56, 56]", "56, s3]"}}),
                                    "y = torch.ops.aten.conv2d.default(x, w, None, 1, 0, 1, 2)\n")),
      HasSubstr("the program leaves sizes of the input open"));
}

/// As `print` of a graph of cuDNN's front end writes it: tensors by name. The fields are those of
/// graph_properties.h and XLA's tests of its serialized graphs.
constexpr char kCudnn[] = R"({
    "context": {"compute_data_type": "FLOAT", "intermediate_data_type": "FLOAT",
                "io_data_type": "HALF", "name": ""},
    "json_version": "1.0",
    "nodes": [
        {"compute_data_type": "FLOAT", "dilation": [1, 1], "inputs": {"W": "filter", "X": "image"},
         "math_mode": "CROSS_CORRELATION", "name": "conv", "outputs": {"Y": "conv::Y"},
         "post_padding": [1, 1], "pre_padding": [1, 1], "stride": [2, 2], "tag": "CONV_FPROP"},
        {"inputs": {"IN_0": "conv::Y"}, "mode": "RELU_FWD", "name": "relu",
         "outputs": {"OUT_0": "y"}, "tag": "POINTWISE"}],
    "tensors": {
        "image": {"data_type": "HALF", "dim": [8, 64, 56, 56], "is_virtual": false,
                  "name": "image", "stride": [200704, 1, 3584, 64], "uid": 0, "uid_assigned": false},
        "filter": {"data_type": "HALF", "dim": [128, 32, 3, 3], "name": "filter",
                   "stride": [288, 1, 96, 32]},
        "conv::Y": {"data_type": "HALF", "dim": [], "name": "conv::Y", "stride": []}}
})";
constexpr char kOfCudnn[] =
    "1 x fwd f16 g2 n8 c64 k128 in 56x56 filter 3x3 stride 2x2 dilation 1x1 pad 1x1 out 28x28; ";

TEST(DnnGraph, OfCudnn) {
  EXPECT_EQ(DescribeProblems(kCudnn), absl::StrCat(kOfCudnn, "file, node conv"));
  EXPECT_THAT(DescribeProblems(absl::StrReplaceAll(kCudnn, {{"CROSS_CORRELATION", "CONVOLUTION"}})),
              HasSubstr("math_mode is CONVOLUTION; Gridwise has CROSS_CORRELATION"));
  EXPECT_THAT(DescribeProblems(absl::StrReplaceAll(kCudnn, {{"\"X\": \"image\"", "\"X\": \"i\""}})),
              HasSubstr("X is 'i', which is none of the tensors"));
  EXPECT_THAT(
      DescribeProblems(absl::StrReplaceAll(kCudnn, {{"\"stride\": [2, 2]", "\"stride\": [2]"}})),
      HasSubstr("out 28x28"));
  EXPECT_THAT(
      DescribeProblems(absl::StrReplaceAll(kCudnn, {{"\"dim\": []", "\"dim\": [8, 128, 27, 28]"}})),
      HasSubstr("the output is 27x28; these sizes make 28x28"));
}

TEST(DnnGraph, InALog) {
  const std::string log =
      absl::StrCat("[cudnn_frontend] INFO: Validating {\n[cudnn_frontend] INFO: ", "\n", kCudnn,
                   "\n[cudnn_frontend] INFO: done\n");
  EXPECT_EQ(DescribeProblems(log), absl::StrCat(kOfCudnn, "file:3, node conv"));
  const std::string line = absl::StrReplaceAll(kCudnn, {{"\n", ""}});
  EXPECT_EQ(DescribeProblems(absl::StrCat("INFO: ", line, " built\n")),
            absl::StrCat(kOfCudnn, "file:1, node conv"));
}

/// hipDNN: tensors by number, the parameters apart.
constexpr char kHipdnn[] = R"({"name": "g", "io_data_type": "float", "tensors": [
  {"uid": 1, "name": "dy", "dims": [2, 16, 7, 7], "strides": [784, 49, 7, 1], "data_type": "bfloat16"},
  {"uid": 2, "name": "w", "dims": [16, 8, 3, 3], "strides": [72, 9, 3, 1], "data_type": "bfloat16"},
  {"uid": 3, "name": "dx", "dims": [2, 8, 14, 14], "strides": [1568, 196, 14, 1], "data_type": "bfloat16"}],
 "nodes": [{"name": "grad", "type": "ConvolutionBwdAttributes",
  "inputs": {"dy_tensor_uid": 1, "w_tensor_uid": 2}, "outputs": {"dx_tensor_uid": 3},
  "parameters": {"conv_mode": "CROSS_CORRELATION", "pre_padding": [0, 0], "post_padding": [1, 1],
                 "stride": [2, 2], "dilation": [1, 1]}}]})";

TEST(DnnGraph, OfHipdnn) {
  EXPECT_EQ(DescribeProblems(kHipdnn),
            "1 x bwd_data bf16 g1 n2 c8 k16 in 14x14 filter 3x3 stride 2x2 dilation 1x1 pad "
            "0x0:1x1 out 7x7 ngchw; file, node grad; its weights are KCYX");
  EXPECT_EQ(DescribeProblems(absl::StrReplaceAll(
                kHipdnn, {{"ConvolutionBwdAttributes", "ConvolutionWrwAttributes"},
                          {R"("w_tensor_uid": 2}, "outputs": {"dx_tensor_uid": 3})",
                           R"("x_tensor_uid": 3}, "outputs": {"dw_tensor_uid": 2})"}})),
            "1 x bwd_weight bf16 g1 n2 c8 k16 in 14x14 filter 3x3 stride 2x2 dilation 1x1 pad "
            "0x0:1x1 out 7x7 ngchw; file, node grad; its weights are KCYX");
}

/// As cuDNN 9 prints a call without marks at the lines. Padding before and after is unequal.
constexpr char kCall[] = R"(cuDNN (v90000) function cudnnBackendFinalize() called:
    descriptor: type=CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
        dxDesc: type=CUDNN_BACKEND_TENSOR_DESCRIPTOR:
            type: type=cudnnDataType_t; val=CUDNN_DATA_HALF (2);
            dimA: type=int; val=[8,64,56,56];
            strideA: type=int; val=[200704,1,3584,64];
        wDesc: type=CUDNN_BACKEND_TENSOR_DESCRIPTOR:
            type: type=cudnnDataType_t; val=CUDNN_DATA_HALF (2);
            dimA: type=int; val=[128,32,3,3];
            strideA: type=int; val=[288,1,96,32];
        convDesc: type=CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR:
            mode: type=cudnnConvolutionMode_t; val=CUDNN_CROSS_CORRELATION (1);
            upperPadA: type=int; val=[1,2];
            lowerPadA: type=int; val=[0,1];
            strideA: type=int; val=[2,2];
            dilationA: type=int; val=[1,1];
        dyDesc: type=CUDNN_BACKEND_TENSOR_DESCRIPTOR:
            type: type=cudnnDataType_t; val=CUDNN_DATA_HALF (2);
            dimA: type=int; val=[8,128,28,29];
            strideA: type=int; val=[103936,1,3712,128];
Time: 2026-01-01T00:00:00.000000 (0d+0h+0m+5s since start)
Process: 1, Thread: 1, cudnn_handle: NULL, cudnn_stream: NULL.
)";

TEST(CudnnLog, ACallWithoutMarks) {
  EXPECT_EQ(DescribeProblems(kCall),
            "1 x bwd_data f16 g2 n8 c64 k128 in 56x56 filter 3x3 stride 2x2 dilation 1x1 pad "
            "0x1:1x2 out 28x29; file:21");
}

TEST(CudnnLog, WrongCallsAreNamed) {
  const auto with = [](std::string_view from, std::string_view to) {
    return DescribeProblems(absl::StrReplaceAll(kCall, {{from, to}}));
  };
  EXPECT_THAT(with("CUDNN_CROSS_CORRELATION (1)", "CUDNN_CONVOLUTION (0)"),
              HasSubstr("file:21: mode is 'CUDNN_CONVOLUTION'; Gridwise has CUDNN_CROSS_CORR"));
  EXPECT_THAT(with("wDesc", "zDesc"), HasSubstr("the call has no wDesc"));
  EXPECT_THAT(with("[2,2]", "[]"), HasSubstr("convDesc.strideA is '[]'; must be a list"));
  EXPECT_THAT(with("[1,2]", "[1,a]"), HasSubstr("convDesc.upperPadA is 'a'; must be an integer"));
  EXPECT_THAT(with("28,29", "28,28"), HasSubstr("the output is 28x28; these sizes make 28x29"));
  EXPECT_THAT(with("DATA_HALF", "DATA_INT8x32"), HasSubstr("the type is 'INT8x32'"));
  EXPECT_THAT(with("CONVOLUTION_BACKWARD_DATA", "RESAMPLE_FWD"), HasSubstr("1 RESAMPLE_FWD"));
  EXPECT_THAT(with("[200704,1,", "[2097152000,1,"), HasSubstr("1 x bwd_data"))
      << "strides are large";
  for (const char* const y : {"[7,128,28,29]", "[8,127,28,29]"}) {
    EXPECT_THAT(with("[8,128,28,29]", y), HasSubstr("must be of 8 images and 128 channels"));
  }
}

TEST(CudnnLog, CallsThatAreCutAreNamed) {
  const std::string cut = absl::StrReplaceAll(kCall, {{"Time:", "Tame:"}});
  EXPECT_THAT(DescribeProblems(cut), HasSubstr("before it has no line 'Time:'"));
  const absl::StatusOr<ImportedSet> set =
      Import({{"file", absl::StrCat(cut, "\n", kCall)}}, /*program=*/"");
  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_EQ(set->problems.size(), 1u);
  EXPECT_THAT(absl::StrJoin(set->report, "\n"), HasSubstr("before it has no line 'Time:'"));
}

TEST(CudnnLog, GradientsBeforeVersion8) {
  // As cudnnGetConvolutionBackwardDataAlgorithm_v7 and ...FilterAlgorithm_v7 name their arguments.
  const auto get = [](std::string_view function, std::string_view x, std::string_view w) {
    return DescribeProblems(absl::StrReplaceAll(
        R"(I! CuDNN (v91900 17) function cudnnGetConvolution$fAlgorithm_v7() called:
i!     $x: type=cudnnTensorDescriptor_t:
i!         dataType: type=cudnnDataType_t; val=CUDNN_DATA_FLOAT (0);
i!         nbDims: type=int; val=4;
i!         dimA: type=int; val=[2,8,5,5];
i!         strideA: type=int; val=[200,25,5,1];
i!     $w: type=cudnnFilterDescriptor_t:
i!         dataType: type=cudnnDataType_t; val=CUDNN_DATA_FLOAT (0);
i!         dimA: type=int; val=[16,8,3,3];
i!         format: type=cudnnTensorFormat_t; val=CUDNN_TENSOR_NCHW (0);
i!     diffDesc: type=cudnnTensorDescriptor_t:
i!         dataType: type=cudnnDataType_t; val=CUDNN_DATA_FLOAT (0);
i!         dimA: type=int; val=[2,16,5,5];
i!         strideA: type=int; val=[400,25,5,1];
i!     convDesc: type=cudnnConvolutionDescriptor_t:
i!         mode: type=cudnnConvolutionMode_t; val=CUDNN_CROSS_CORRELATION (1);
i!         padA: type=int; val=[1,1];
i!         strideA: type=int; val=[1,1];
i!         dilationA: type=int; val=[1,1];
i! Time: 2026-01-01T00:00:00.000000 (0d+0h+0m+0s since start)
)",
        {{"$f", function}, {"$x", x}, {"$w", w}}));
  };
  EXPECT_THAT(get("BackwardData", "gradDesc", "filterDesc"),
              HasSubstr("1 x bwd_data f32 g1 n2 c8 k16 in 5x5 filter 3x3"));
  EXPECT_THAT(get("BackwardFilter", "srcDesc", "gradDesc"),
              HasSubstr("1 x bwd_weight f32 g1 n2 c8 k16 in 5x5 filter 3x3"));
}

TEST(CudnnLog, TensorsOfTheFrontEndHaveKnownNumbers) {
  std::string graph;
  for (const int number : {120, 119, 1}) {
    absl::StrAppend(&graph, "[cudnn_frontend]    CUDNN_BACKEND_TENSOR_DESCRIPTOR :\n  Id: ", number,
                    "\n  isVirtual: 0\n");
  }
  EXPECT_THAT(DescribeProblems(absl::StrCat(graph, "Tag: ConvFwd_\n")),
              HasSubstr("file:10: none of the convolution's tensors has the number 121, which "
                        "stands for 'y'; write cuDNN's own log instead"));
  EXPECT_THAT(DescribeProblems(absl::StrCat(graph, "Tag: Matmul_\n")),
              HasSubstr("left out: 1 Matmul_"));
}

TEST(Import, OtherFilesAreNamed) {
  EXPECT_THAT(DescribeProblems("PK\x03\x04rest"),
              HasSubstr("it is a zip archive. If torch.export.save"));
  EXPECT_THAT(DescribeProblems(std::string("SQLite format 3\0rest", 20)),
              HasSubstr("it is an SQLite database"));
}

}  // namespace
}  // namespace gridwise
