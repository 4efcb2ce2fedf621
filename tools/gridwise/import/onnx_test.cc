// SPDX-License-Identifier: MIT
/// ONNX models: nodes as onnx_reader.cc writes them, and models of ONNX's own tests, which Debian's
/// libonnx-testdata has.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Support/JSON.h"
#include "tools/gridwise/import/import.h"
#include "tools/gridwise/import/line.h"
#include "tools/gridwise/import/onnx_nodes.h"

namespace gridwise {
namespace {

using ::testing::HasSubstr;

/// "fwd f32 ...; the note" of a node, or what it is instead. `inputs` and `outputs` are sizes.
std::string DescribeNode(std::string_view op, const std::vector<std::string>& inputs,
                         std::string_view output, std::string_view attributes,
                         std::string_view type = "float") {
  std::vector<std::string> tensors;
  for (const std::string& sizes : inputs) {
    tensors.push_back(absl::StrCat("{\"type\":\"", type, "\",\"sizes\":[", sizes, "]}"));
  }
  const std::string json =
      absl::StrCat("{\"onnx_nodes\":[{\"op\":\"", op, "\",\"name\":\"n\",\"inputs\":[",
                   absl::StrJoin(tensors, ","), "],\"outputs\":[{\"type\":\"float\",\"sizes\":[",
                   output, "]}],\"attributes\":{", attributes, "}}]}");
  llvm::Expected<llvm::json::Value> model = llvm::json::parse(json);
  EXPECT_TRUE(static_cast<bool>(model)) << json;
  std::string text = "nothing";
  ForEachNode(*model, [&](const std::string&, const ImportedLine& read) {
    if (!read.ok()) {
      text = read.status().message();
    } else if ((*read)->problems.empty()) {
      text = "skipped " + (*read)->skipped;
    } else {
      text = ToString((*read)->problems[0]);
      if (!(*read)->note.empty()) absl::StrAppend(&text, "; ", (*read)->note);
    }
  });
  return text;
}

TEST(OnnxNodes, PaddingOfConv) {
  EXPECT_EQ(DescribeNode("Conv", {"1,3,224,224", "32,3,3,3"}, "1,32,112,112",
                         R"("strides":[2,2],"auto_pad":"SAME_UPPER")"),
            "fwd f32 g1 n1 c3 k32 in 224x224 filter 3x3 stride 2x2 dilation 1x1 pad 0x0:1x1 out "
            "112x112 ngchw; its weights are KCYX");
  EXPECT_THAT(DescribeNode("Conv", {"1,3,224,224", "32,3,3,3"}, "1,32,112,112",
                           R"("strides":[2,2],"auto_pad":"SAME_LOWER")"),
              HasSubstr(" pad 1x1:0x0 out 112x112 "));
  EXPECT_THAT(DescribeNode("Conv", {"4,6,9", "8,3,3"}, "4,8,5",
                           R"("group":2,"pads":[2,0],"dilations":[3])", "float16"),
              HasSubstr("fwd f16 g2 n4 c6 k8 in 9 filter 3 stride 1 dilation 3 pad 2:0 out 5 "));
  EXPECT_THAT(
      DescribeNode("Conv", {"1,3,8,8", "4,3,3,3"}, "", R"("auto_pad":"VALID","pads":[1,1,1,1])"),
      HasSubstr(" pad 0x0 out 6x6 "));
}

/// out = 2 (14 - 1) + op + 2 - pads, or as output_shape says.
TEST(OnnxNodes, SizesOfConvTranspose) {
  EXPECT_EQ(DescribeNode("ConvTranspose", {"1,64,14,14", "64,32,2,2"}, "1,32,28,28",
                         R"("strides":[2,2])"),
            "bwd_data f32 g1 n1 c32 k64 in 28x28 filter 2x2 stride 2x2 dilation 1x1 pad 0x0 out "
            "14x14 ngchw; its weights are KCYX");
  EXPECT_THAT(DescribeNode("ConvTranspose", {"1,64,14,14", "64,32,3,3"}, "1,64,28,28",
                           R"("strides":[2,2],"pads":[1,1,1,1],"output_padding":[1,1],"group":2)"),
              HasSubstr("bwd_data f32 g2 n1 c64 k64 in 28x28 filter 3x3 stride 2x2 dilation 1x1 "
                        "pad 1x1 out 14x14"));
  EXPECT_THAT(DescribeNode("ConvTranspose", {"1,1,3,3", "1,2,3,3"}, "1,2,6,6",
                           R"("strides":[2,2],"auto_pad":"SAME_UPPER")"),
              HasSubstr(" in 6x6 filter 3x3 stride 2x2 dilation 1x1 pad 0x0:1x1 out 3x3 "));
  // Total 2 (3 - 1) + 3 - 6 = 1 without auto_pad: the odd zero is at the beginning.
  EXPECT_THAT(DescribeNode("ConvTranspose", {"1,1,3,3", "1,2,3,3"}, "1,2,6,6",
                           R"("strides":[2,2],"output_shape":[6,6])"),
              HasSubstr(" in 6x6 filter 3x3 stride 2x2 dilation 1x1 pad 1x1:0x0 out 3x3 "));
}

TEST(OnnxNodes, OtherOperators) {
  EXPECT_THAT(DescribeNode("ConvInteger", {"1,3,8,8", "4,3,3,3"}, "1,4,6,6", "", "uint8"),
              HasSubstr("fwd i8->i32 g1 n1 c3 k4 in 8x8 filter 3x3 stride 1x1 dilation 1x1 pad 0x0 "
                        "out 6x6 ngchw; its weights are KCYX, its zero points are left out, its "
                        "operands are unsigned"));
  EXPECT_THAT(DescribeNode("QLinearConv", {"1,3,8,8", "", "", "4,3,3,3"}, "1,4,6,6", "", "int8"),
              HasSubstr("its output is i32 here"));
  EXPECT_THAT(DescribeNode("FusedConv", {"1,3,8,8", "4,3,3,3"}, "1,4,6,6", ""),
              HasSubstr("its activation is left out"));
  EXPECT_EQ(DescribeNode("DeformConv", {"1,3,8,8", "4,3,3,3"}, "1,4,6,6", ""),
            "skipped DeformConv");
}

TEST(OnnxNodes, WrongNodesAreNamed) {
  EXPECT_THAT(DescribeNode("Conv", {"1,3,-1,8", "4,3,3,3"}, "", ""),
              HasSubstr("the sizes of its input are 1x3x?x8; they must be numbers"));
  EXPECT_THAT(DescribeNode("Conv", {"1,3,8,8"}, "", ""), HasSubstr("its weights are unknown"));
  EXPECT_THAT(DescribeNode("Conv", {"1,3,8,8,8,8", "4,3,3,3,3,3"}, "", ""),
              HasSubstr("its input has 6 dimensions; Gridwise has 3 to 5"));
  EXPECT_THAT(DescribeNode("Conv", {"1,3,8,8", "4,3,3"}, "", ""),
              HasSubstr("4 dimensions and its"));
  EXPECT_THAT(DescribeNode("Conv", {"1,3,8,8", "4,2,3,3"}, "", ""),
              HasSubstr("has 3 channels and its"));
  EXPECT_THAT(DescribeNode("Conv", {"1,3,8,8", "4,3,3,3"}, "", R"("group":0)"),
              HasSubstr("group is 0"));
  EXPECT_THAT(DescribeNode("Conv", {"1,3,8,8", "4,3,3,3"}, "", R"("strides":[2])"),
              HasSubstr("strides is 2; must be 2 numbers"));
  EXPECT_THAT(DescribeNode("Conv", {"1,3,8,8", "4,3,3,3"}, "", R"("strides":[0,1])"),
              HasSubstr("a stride is 0"));
  EXPECT_THAT(DescribeNode("Conv", {"1,3,8,8", "4,3,3,3"}, "", R"("auto_pad":"SAME")"),
              HasSubstr("auto_pad is SAME; must be"));
  EXPECT_THAT(DescribeNode("Conv", {"1,3,8,8", "4,3,3,3"}, "1,4,8,8", ""),
              HasSubstr("the output is 8x8; these sizes make 6x6"));
  EXPECT_THAT(DescribeNode("Conv", {"1,3,8,8", "4,3,3,3"}, "", "", "double"),
              HasSubstr("the type is double; Gridwise has float"));
}

constexpr char kModels[] = "/usr/share/libonnx-testdata/data";

absl::StatusOr<ImportedSet> ImportModel(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return Import({{"model", std::string(std::istreambuf_iterator<char>(file), {})}},
                /*program=*/"");
}

/// Numbers of nodes and of products by a script of Python's onnx and its shape inference.
TEST(OnnxModels, NetworksHaveTheirConvolutions) {
  if (!std::filesystem::exists(kModels)) GTEST_SKIP() << "libonnx-testdata is not installed";
  struct Model {
    const char* name;
    std::int64_t nodes;
    double products;
  };
  constexpr Model kNetworks[] = {{"bvlc_alexnet", 5, 595938432},   {"densenet121", 121, 2834161664},
                                 {"inception_v1", 57, 1430532352}, {"inception_v2", 69, 2017827840},
                                 {"resnet50", 53, 4087136256},     {"shufflenet", 49, 124120528},
                                 {"squeezenet", 26, 349151936},    {"vgg19", 16, 19508428800},
                                 {"zfnet512", 5, 1401011232}};
  for (const Model& model : kNetworks) {
    const auto set = ImportModel(absl::StrCat(kModels, "/light/light_", model.name, ".onnx"));
    ASSERT_TRUE(set.ok()) << model.name << ": " << set.status();
    std::int64_t nodes = 0;
    double products = 0;
    for (const NamedProblem& named : set->problems) {
      nodes += named.count;
      products += static_cast<double>(named.count) * named.problem.Flops() / 2;
    }
    EXPECT_EQ(nodes, model.nodes) << model.name;
    EXPECT_EQ(products, model.products) << model.name;
    EXPECT_LE(set->report.size(), 2u) << set->report.back();
  }
}

/// Each of ONNX's tests of an operator is a model of one node. Importers compare the output's sizes
/// with those of ONNX's inference.
TEST(OnnxModels, TestsOfOperators) {
  if (!std::filesystem::exists(kModels)) GTEST_SKIP() << "libonnx-testdata is not installed";
  int imported = 0;
  for (const char* const folder : {"node", "pytorch-converted", "pytorch-operator"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(absl::StrCat(kModels, "/", folder))) {
      const std::string name = entry.path().filename().string();
      if (!absl::StrContains(name, "Conv") && !absl::StrContains(name, "conv")) continue;
      const auto set = ImportModel((entry.path() / "model.onnx").string());
      if (absl::StrContains(name, "deform")) {
        EXPECT_THAT(set.status().message(), HasSubstr("left out: 1 DeformConv"));
        continue;
      }
      ASSERT_TRUE(set.ok()) << name << ": " << set.status();
      EXPECT_EQ(set->problems.size(), 1u) << name;
      EXPECT_LE(set->report.size(), 2u) << name << ": " << set->report.back();
      ++imported;
    }
  }
  EXPECT_GE(imported, 40);
}

TEST(OnnxModels, OtherBytesAreRefused) {
  const auto set = Import({{"file", std::string("\x7f"
                                                "ELF\x02\x01\x01\0\0",
                                                9)}},
                          /*program=*/"");
  EXPECT_THAT(set.status().message(), HasSubstr("file: it is neither text nor an ONNX model"));
}

}  // namespace
}  // namespace gridwise
