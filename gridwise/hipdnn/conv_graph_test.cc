// SPDX-License-Identifier: MIT
/// Which graphs are lowered, to what, and what is said of the others.

#include "gridwise/hipdnn/conv_graph.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "gmock/gmock.h"
#include "gridwise/hipdnn/graph.h"
#include "gridwise/hipdnn/graph_writer.h"
#include "gtest/gtest.h"

namespace gridwise::hipdnn {
namespace {

using ::testing::HasSubstr;

// Modes of hipDNN's PointwiseMode.
constexpr int kAdd = 2, kGeluErf = 21, kIdentity = 23, kMul = 30, kRelu = 34, kSwish = 44;

absl::StatusOr<ConvGraph> Lower(const WrittenGraph& written) {
  const absl::StatusOr<Graph> graph = ParseGraph(Write(written));
  if (!graph.ok()) return graph.status();
  return LowerGraph(*graph);
}

/// y (3) of x (1), 2 x 8 x 10 x 9, and w (2), 6 x 4 x 3 x 2, so two groups; all NHWC.
WrittenGraph Forward() {
  return {.tensors = {{.uid = 1, .dims = {2, 8, 10, 9}, .strides = {720, 1, 72, 8}},
                      {.uid = 2, .dims = {6, 4, 3, 2}, .strides = {24, 1, 8, 4}},
                      {.uid = 3, .dims = {2, 6, 5, 10}, .strides = {300, 1, 60, 6}}},
          .convolutions = {{.a = 1,
                            .b = 2,
                            .out = 3,
                            .pre_padding = {1, 2},
                            .post_padding = {1, 1},
                            .stride = {2, 1},
                            .dilation = {1, 2}}}};
}

/// The same with `nodes` after it, each with the uid of its result, of which the last is 9, and
/// tensors of a bias (7) and of the output's shape (8).
WrittenGraph ForwardThen(std::vector<WrittenPointwise> nodes) {
  WrittenGraph graph = Forward();
  WrittenTensor out = graph.tensors[2];
  graph.tensors[2].is_virtual = true;
  graph.tensors[2].type = 1;
  graph.tensors.push_back({.uid = 7, .dims = {1, 6, 1, 1}, .strides = {6, 1, 6, 6}});
  out.uid = 8;
  graph.tensors.push_back(out);
  std::int64_t value = 3;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].in_0 = value;
    nodes[i].out = value = i + 1 == nodes.size() ? 9 : static_cast<std::int64_t>(20 + i);
    out.uid = value;
    out.is_virtual = value != 9;
    graph.tensors.push_back(out);
  }
  graph.pointwise = std::move(nodes);
  return graph;
}

TEST(Forward, HasTheNumbersOfTheNode) {
  const absl::StatusOr<ConvGraph> lowered = Lower(Forward());
  ASSERT_TRUE(lowered.ok()) << lowered.status();
  const ConvProblem expected = {
      .direction = Direction::kForward,
      .type = DataType::kF16,
      .out_type = DataType::kF16,
      .rank = 2,
      .groups = 2,
      .batch = 2,
      .c = 8,
      .k = 6,
      .dims = {Dim{}, Dim{.in = 10, .filter = 3, .stride = 2, .pad_begin = 1, .pad_end = 1},
               Dim{.in = 9, .filter = 2, .dilation = 2, .pad_begin = 2, .pad_end = 1}}};
  EXPECT_EQ(lowered->problem, expected);
  EXPECT_FALSE(lowered->transposes_weights);
  EXPECT_EQ(lowered->a, 1);
  EXPECT_EQ(lowered->b, 2);
  EXPECT_EQ(lowered->out, 3);
}

TEST(Types, HaveTheNumbersOfTheSchema) {
  constexpr int kFloat = 1, kHalf = 2, kBFloat16 = 3, kInt32 = 6;
  const struct {
    int number, output, compute;
    DataType type, out_type;
  } kTypes[] = {{1, kFloat, kFloat, DataType::kF32, DataType::kF32},
                {2, kFloat, kFloat, DataType::kF16, DataType::kF32},
                {3, kBFloat16, kFloat, DataType::kBF16, DataType::kBF16},
                {7, kInt32, kInt32, DataType::kI8, DataType::kI32},
                {8, kHalf, kFloat, DataType::kF8E4M3, DataType::kF16},
                {9, kHalf, kFloat, DataType::kF8E5M2, DataType::kF16},
                {16, kHalf, kFloat, DataType::kF8E4M3Fnuz, DataType::kF16},
                {17, kHalf, kFloat, DataType::kF8E5M2Fnuz, DataType::kF16}};
  for (const auto& type : kTypes) {
    WrittenGraph graph = Forward();
    graph.tensors[0].type = graph.tensors[1].type = type.number;
    graph.tensors[2].type = type.output;
    graph.convolutions[0].compute_type = type.compute;
    const absl::StatusOr<ConvGraph> lowered = Lower(graph);
    ASSERT_TRUE(lowered.ok()) << type.number << ": " << lowered.status();
    EXPECT_EQ(lowered->problem.type, type.type) << type.number;
    EXPECT_EQ(lowered->problem.output_type(), type.out_type) << type.number;
  }
}

TEST(Gradients, TakeTheirTensorsInTheOrderOfTheNode) {
  WrittenGraph graph = Forward();
  graph.convolutions[0] = {.kind = 6,
                           .a = 3,  // dy
                           .b = 2,
                           .out = 1,
                           .pre_padding = {1, 2},
                           .post_padding = {1, 1},
                           .stride = {2, 1},
                           .dilation = {1, 2}};
  absl::StatusOr<ConvGraph> lowered = Lower(graph);
  ASSERT_TRUE(lowered.ok()) << lowered.status();
  EXPECT_EQ(lowered->problem.direction, Direction::kBackwardData);
  EXPECT_EQ(lowered->problem.dims[1].in, 10);
  EXPECT_EQ(lowered->a, 3);
  EXPECT_EQ(lowered->b, 2);
  EXPECT_EQ(lowered->out, 1);
  graph.convolutions[0].kind = 7;
  graph.convolutions[0].a = 1;  // x
  graph.convolutions[0].b = 3;  // dy
  graph.convolutions[0].out = 2;
  lowered = Lower(graph);
  ASSERT_TRUE(lowered.ok()) << lowered.status();
  EXPECT_EQ(lowered->problem.direction, Direction::kBackwardWeight);
  EXPECT_EQ(lowered->a, 3) << "dy";
  EXPECT_EQ(lowered->b, 1) << "x";
  EXPECT_EQ(lowered->out, 2) << "dw";
}

TEST(Layouts, OfWeightsInOrderAreTransposed) {
  WrittenGraph graph = Forward();
  graph.tensors[0].strides = {720, 90, 9, 1};
  graph.tensors[1].strides = {24, 6, 2, 1};
  graph.tensors[2].strides = {300, 50, 10, 1};
  absl::StatusOr<ConvGraph> lowered = Lower(graph);
  ASSERT_TRUE(lowered.ok()) << lowered.status();
  EXPECT_EQ(lowered->problem.layout, Layout::kNGCHW);
  EXPECT_EQ(lowered->problem.weight_layout, WeightLayout::kGKYXC);
  EXPECT_TRUE(lowered->transposes_weights);
}

TEST(Epilogues, AreChains) {
  const absl::StatusOr<ConvGraph> lowered =
      Lower(ForwardThen({{.mode = kAdd, .in_1 = 7},
                         {.mode = kIdentity},
                         {.mode = kMul, .in_1 = 8},
                         {.mode = kSwish, .swish_beta = 0.5f},
                         {.mode = kRelu, .relu_lower_clip = -1.0f, .relu_upper_clip = 6.0f}}));
  ASSERT_TRUE(lowered.ok()) << lowered.status();
  const Epilogue expected = {
      .tensors = 2,
      .d = {EpilogueTensor{.stride = {0, 0, 0, 0, 3, 1}},  // 3 channels in each of 2 groups
            EpilogueTensor{.op = EpilogueTensor::Op::kMultiply, .stride = {300, 0, 60, 6, 3, 1}}},
      .unary = Unary::kSwish,
      .unary_parameter = 0.5,
      .low = -1,
      .high = 6};
  EXPECT_EQ(lowered->problem.epilogue, expected);
  EXPECT_EQ(lowered->out, 9);
  EXPECT_EQ(lowered->d[0], 7);
  EXPECT_EQ(lowered->d[1], 8);
}

TEST(Epilogues, AddInEitherOrder) {
  WrittenGraph graph = ForwardThen({{.mode = kAdd}});
  graph.pointwise[0].in_0 = 7;
  graph.pointwise[0].in_1 = 3;
  const absl::StatusOr<ConvGraph> lowered = Lower(graph);
  ASSERT_TRUE(lowered.ok()) << lowered.status();
  EXPECT_EQ(lowered->d[0], 7);
}

TEST(Epilogues, LeakyReluHasASlope) {
  const absl::StatusOr<ConvGraph> lowered =
      Lower(ForwardThen({{.mode = kRelu, .relu_lower_clip_slope = 0.25f}}));
  ASSERT_TRUE(lowered.ok()) << lowered.status();
  EXPECT_EQ(lowered->problem.epilogue.unary, Unary::kLeakyRelu);
  EXPECT_EQ(lowered->problem.epilogue.unary_parameter, 0.25);
  EXPECT_FALSE(lowered->problem.epilogue.clamps());
}

/// A graph that is made wrong, and what is said of it.
struct Refused {
  const char* name;
  absl::StatusCode code;
  const char* sentence;
  WrittenGraph graph;
};

WrittenGraph Changed(const std::function<void(WrittenGraph&)>& change,
                     WrittenGraph graph = Forward()) {
  change(graph);
  return graph;
}

constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument,
                           kOther = absl::StatusCode::kUnimplemented;

std::vector<Refused> WrongConvolutions() {
  std::vector<Refused> all;
  const auto add = [&](const char* name, absl::StatusCode code, const char* sentence,
                       const std::function<void(WrittenGraph&)>& change) {
    all.push_back({name, code, sentence, Changed(change)});
  };
  add("Empty", kOther, "the graph has no convolution", [](auto& g) { g = {}; });
  add("Matmul", kOther, "number 9", [](auto& g) { g.has_matmul = true; });
  add("Two", kOther, "second convolution",
      [](auto& g) { g.convolutions.push_back(g.convolutions[0]); });
  add("Mirrored", kOther, "must be CROSS_CORRELATION", [](auto& g) { g.convolutions[0].mode = 1; });
  add("Double", kOther, "tensor 1 has data type 4", [](auto& g) { g.tensors[0].type = 4; });
  add("MixedTypes", kOther, "different data types", [](auto& g) { g.tensors[1].type = 3; });
  add("OutputType", kInvalid, "type", [](auto& g) { g.tensors[2].type = 3; });
  add("ComputesInHalf", kOther, "computes in data type 2",
      [](auto& g) { g.convolutions[0].compute_type = 2; });
  add("Sliced", kOther, "stride", [](auto& g) { g.tensors[0].strides[0] = 1440; });
  add("MixedLayouts", kOther, "", [](auto& g) { g.tensors[0].strides = {720, 90, 9, 1}; });
  add("NegativeStride", kOther, "stride", [](auto& g) { g.tensors[0].strides[2] = -72; });
  add("HugeStride", kOther, "stride", [](auto& g) { g.tensors[0].strides[1] = INT64_MAX; });
  add("RepeatedX", kOther, "tensor 1 has stride 0",
      [](auto& g) { g.tensors[0].strides = {0, 0, 0, 0}; });
  add("RepeatedW", kOther, "tensor 2 has stride 0",
      [](auto& g) { g.tensors[1].strides = {0, 0, 0, 0}; });
  add("NoStrides", kInvalid, "4 dims and 0 strides", [](auto& g) { g.tensors[2].strides = {}; });
  add("WrongOutput", kInvalid, "make it [2, 6, 5, 10]", [](auto& g) { g.tensors[2].dims[3] = 9; });
  add("WrongBatch", kInvalid, "make it [2, 6, 5, 10]", [](auto& g) { g.tensors[2].dims[0] = 3; });
  add("Channels", kInvalid, "must be a multiple", [](auto& g) { g.tensors[0].dims[1] = 7; });
  add("NoPixels", kInvalid, "each must be 1 to", [](auto& g) { g.tensors[0].dims[2] = 0; });
  add("Huge", kInvalid, "each must be 1 to", [](auto& g) { g.tensors[0].dims[2] = INT64_MAX; });
  add("ZeroStride", kInvalid, "stride (h) is 0", [](auto& g) { g.convolutions[0].stride[0] = 0; });
  add("HugePad", kInvalid, "", [](auto& g) { g.convolutions[0].pre_padding[0] = INT64_MAX; });
  add("Rank", kInvalid, "must be 2 numbers", [](auto& g) { g.convolutions[0].dilation = {1}; });
  add("SixDims", kOther, "must have 3 to 5",
      [](auto& g) { g.tensors[0].dims = {1, 1, 1, 1, 1, 1}; });
  add("VirtualInput", kOther, "is virtual", [](auto& g) { g.tensors[0].is_virtual = true; });
  add("ByValue", kOther, "passed by value", [](auto& g) { g.tensors[0].by_value = true; });
  add("Ragged", kOther, "ragged", [](auto& g) { g.tensors[0].ragged = 5; });
  add("Alignment", kOther, "alignment 1", [](auto& g) { g.tensors[0].alignment = 1; });
  add("Missing", kInvalid, "not in the graph", [](auto& g) { g.convolutions[0].a = 77; });
  add("Twice", kInvalid, "two tensors have uid 1", [](auto& g) { g.tensors[1].uid = 1; });
  add("InPlace", kOther, "input and output", [](auto& g) { g.convolutions[0].out = 1; });
  add("Overrides", kOther, "may change", [](auto& g) { g.overrides_shapes = true; });
  add("NewField", kOther, "newer than this version", [](auto& g) { g.has_new_field = true; });
  add("NewApi", kOther, "requires version 1.2.0", [](auto& g) { g.min_api_minor = 2; });
  return all;
}

std::vector<Refused> WrongChains() {
  std::vector<Refused> all;
  const auto add_chain = [&](const char* name, absl::StatusCode code, const char* sentence,
                             std::vector<WrittenPointwise> nodes) {
    all.push_back({name, code, sentence, ForwardThen(std::move(nodes))});
  };
  add_chain("Long", kOther, "at most 64 are fused",
            std::vector<WrittenPointwise>(64, {.mode = kIdentity}));
  add_chain("GeluErf", kOther, "mode 21, which is not fused", {{.mode = kGeluErf}});
  add_chain("AddAfterRelu", kOther, "after an activation",
            {{.mode = kRelu}, {.mode = kAdd, .in_1 = 8}});
  add_chain("ThreeTensors", kOther, "third with a tensor",
            {{.mode = kAdd, .in_1 = 7}, {.mode = kAdd, .in_1 = 8}, {.mode = kMul, .in_1 = 7}});
  add_chain("TwoActivations", kOther, "second activation", {{.mode = kSwish}, {.mode = kSwish}});
  add_chain("AddOfOne", kInvalid, "1 operands", {{.mode = kAdd}});
  add_chain("ReluOfTwo", kInvalid, "2 operands", {{.mode = kRelu, .in_1 = 7}});
  add_chain("Itself", kOther, "with itself", {{.mode = kAdd, .in_1 = 3}});
  add_chain("Third", kOther, "third operand", {{.mode = kAdd, .in_1 = 7, .in_2 = 8}});
  add_chain("SlopeAndClip", kOther, "one of them must be 0",
            {{.mode = kRelu, .relu_lower_clip = 1.0f, .relu_lower_clip_slope = 0.5f}});
  add_chain("Clips", kInvalid, "low", {{.mode = kRelu, .relu_upper_clip = -1.0f}});
  all.push_back(
      {"NotVirtual", kOther, "not virtual",
       Changed([](auto& g) { g.tensors[2].is_virtual = false; }, ForwardThen({{.mode = kRelu}}))});
  all.push_back({"ReadTwice", kOther, "read by two nodes",
                 Changed([](auto& g) { g.pointwise.push_back(g.pointwise[0]); },
                         ForwardThen({{.mode = kRelu}}))});
  all.push_back(
      {"Apart", kOther, "follow the convolution",
       Changed([](auto& g) { g.pointwise[0].in_0 = 8; }, ForwardThen({{.mode = kRelu}}))});
  all.push_back({"BiasShape", kInvalid, "each must be 1 or the output's",
                 Changed([](auto& g) { g.tensors[3].dims[1] = 3; },
                         ForwardThen({{.mode = kAdd, .in_1 = 7}}))});
  all.push_back(
      {"BiasType", kInvalid, "type",
       Changed([](auto& g) { g.tensors[3].type = 3; }, ForwardThen({{.mode = kAdd, .in_1 = 7}}))});
  all.push_back(
      {"OtherDims", kOther, "different dims",
       Changed([](auto& g) { g.tensors[2].dims[3] = 1; }, ForwardThen({{.mode = kRelu}}))});
  return all;
}

TEST(Refusals, AreSentences) {
  ASSERT_TRUE(Lower(ForwardThen({{.mode = kRelu}})).ok());
  std::vector<Refused> graphs = WrongConvolutions();
  std::ranges::move(WrongChains(), std::back_inserter(graphs));
  for (const Refused& refused : graphs) {
    const absl::StatusOr<ConvGraph> lowered = Lower(refused.graph);
    EXPECT_EQ(lowered.status().code(), refused.code) << refused.name << ": " << lowered.status();
    EXPECT_THAT(std::string(lowered.status().message()), HasSubstr(refused.sentence))
        << refused.name;
  }
}

// Whatever the bytes are, they are a graph or refused.
TEST(Bytes, OfAnyContentAreRead) {
  const std::vector<std::byte> bytes = Write(ForwardThen({{.mode = kAdd, .in_1 = 7}}));
  EXPECT_EQ(ParseGraph({}).status().code(), kInvalid);
  int read = 0, refused = 0;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ++(ParseGraph(std::span(bytes).first(size)).ok() ? read : refused);
  }
  EXPECT_EQ(read, 0);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const unsigned char flip : {0x01, 0x80, 0xff}) {
      std::vector<std::byte> changed = bytes;
      changed[i] ^= std::byte{flip};
      const absl::StatusOr<Graph> graph = ParseGraph(changed);
      ++(graph.ok() && LowerGraph(*graph).ok() ? read : refused);
    }
  }
  EXPECT_GT(read, 0);
  EXPECT_GT(refused, 0);
}

TEST(Bytes, MayHaveAnyAlignment) {
  const std::vector<std::byte> bytes = Write(Forward());
  std::vector<std::byte> shifted(bytes.size() + 1);
  std::copy(bytes.begin(), bytes.end(), shifted.begin() + 1);
  EXPECT_TRUE(ParseGraph(std::span(shifted).subspan(1)).ok());
}

}  // namespace
}  // namespace gridwise::hipdnn
