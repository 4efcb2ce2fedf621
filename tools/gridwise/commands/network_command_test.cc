// SPDX-License-Identifier: MIT
/// `gridwise import` and `gridwise network`, as a user runs them.

#include <fstream>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/arch/device_facts.h"
#include "core/arch/parse_gfx.h"
#include "core/text/shell.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Support/JSON.h"
#include "tools/gridwise/cli/exit_code.h"
#include "tools/gridwise/cli/run_gridwise.h"
#include "tools/page/page_data.h"

namespace gridwise {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A log of two layers, of which the first occurs twice, and a line that is wrong.
std::string Log() {
  const std::string path = testing::TempDir() + "/miopen.log";
  constexpr char kLayer[] =
      "MIOpen(HIP): Command [LogCmdConvolution] ./bin/MIOpenDriver convfp16 -n 2 -H 9 -W 9 -p 1 -q "
      "1 -I NHWC -f NHWC -O NHWC -F 1 ";
  std::ofstream(path) << kLayer << "-c 16 -k 32\n"
                      << kLayer << "-c 32 -k 64 -g 2 -u 2 -v 2\n"
                      << kLayer << "-c 16 -k 32\n"
                      << kLayer << "-c 16 -k many\n";
  return path;
}

TEST(ImportCommand, WritesASetThatOtherCommandsRead) {
  const std::string csv = testing::TempDir() + "/imported.csv";
  const ShellResult result = Gridwise(absl::StrCat("import ", Log(), " --csv=", csv));
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(result.out, AllOf(HasSubstr("miopen.log: 3 convolutions, 2 of them different (3 "
                                          "MIOpenDriver command lines)"),
                                HasSubstr("miopen.log:4: -k is 'many'; must be an integer")));
  for (const std::string& set : {csv, Log()}) {
    const ShellResult computed =
        Gridwise(absl::StrCat("sweep --verify --problems=", set, " --csv=", Unread()));
    EXPECT_EQ(computed.status, kSuccess) << computed.out;
    EXPECT_THAT(computed.out, HasSubstr("l2_c32k64g2_9x9_3x3s2"));
  }
  ExpectRefusal("import", "no file is named; it is written `gridwise import FILE...");
  ExpectRefusal("import nothing.log", "cannot read nothing.log");
  ExpectRefusal("import /", "cannot read /: Is a directory");
  ExpectRefusal("problems --miopen=list.txt", "--miopen is now `gridwise import FILE`");
}

TEST(NetworkCommand, AddsUpTheLayers) {
  const llvm::json::Value value = Json(absl::StrCat("network ", Log()));
  ASSERT_NE(value.getAsObject(), nullptr);
  const llvm::json::Object& network = *value.getAsObject();
  const llvm::json::Array* const layers = network.getArray("layers");
  ASSERT_NE(layers, nullptr);
  ASSERT_EQ(layers->size(), 2u);
  double total = 0, share = 0;
  for (const llvm::json::Value& layer : *layers) {
    const llvm::json::Object& object = *layer.getAsObject();
    const double us = object.getNumber("us").value_or(0);
    EXPECT_GT(us, 0);
    EXPECT_EQ(us * object.getNumber("count").value_or(0), object.getNumber("total_us"));
    EXPECT_NE(object.getString("limiter").value_or(""), "");
    EXPECT_LT(object.getNumber("of_bound").value_or(2), 1.2);
    total += object.getNumber("total_us").value_or(0);
    share += object.getNumber("share").value_or(0);
  }
  EXPECT_EQ((*layers)[0].getAsObject()->getInteger("count"), 2);
  EXPECT_DOUBLE_EQ(network.getNumber("total_us").value_or(0), total);
  EXPECT_DOUBLE_EQ(share, 1);
  EXPECT_GT(network.getNumber("pass_us").value_or(0), 0);
}

TEST(NetworkCommand, TrainingAddsDirections) {
  const std::string network = absl::StrCat("network ", Log(), " --device=", Target());
  const ShellResult inference = Gridwise(network);
  EXPECT_EQ(inference.status, kSuccess) << inference.out;
  EXPECT_THAT(inference.out,
              AllOf(HasSubstr("3 convolutions, 2 of them different"), HasSubstr("total "),
                    HasSubstr("by the planner's estimates"), Not(HasSubstr("bwd_"))));
  const ShellResult training = Gridwise(network + " --training --batch=4");
  EXPECT_EQ(training.status, kSuccess) << training.out;
  // Without the gradient of the first layer's input: 2 x 2 + 3.
  EXPECT_THAT(training.out, AllOf(HasSubstr("7 convolutions, 5 of them different"),
                                  HasSubstr("n4 c16 k32 9x9 3x3"), Not(HasSubstr("n2 "))));
  ExpectRefusal("network", "no network is named");
}

/// The page shows the document of --json, and needs nothing else.
TEST(NetworkCommand, ThePageHasTheDocument) {
  const std::string page = testing::TempDir() + "/network.html";
  const llvm::json::Value document = Json(absl::StrCat("network ", Log(), " --html=", page));
  ASSERT_NE(document.getAsObject(), nullptr);
  const absl::StatusOr<llvm::json::Value> data = PageData(ReadText(page));
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_EQ(*data, document);
  const llvm::json::Object& network = *document.getAsObject();
  EXPECT_EQ(network.getString("times"), "estimated");
  EXPECT_LT(network.getNumber("bound_us").value_or(0), network.getNumber("total_us").value_or(0));
  EXPECT_GT(network.getObject("roofline")->getObject("matrix_tflop_per_s")->getNumber("f16"), 10.);
  // x, w and y of the second layer, each once: 2 x 9 x 9 x 32, 64 x 3 x 3 x 16, 2 x 5 x 5 x 64.
  const llvm::json::Object& layer = *(*network.getArray("layers"))[1].getAsObject();
  EXPECT_EQ(layer.getNumber("bytes"), 2. * (5184 + 9216 + 3200));
  EXPECT_EQ(layer.getInteger("memory_bytes").value_or(0),
            2 * (5184 + 9216 + 3200) +
                layer.getObject("plan")->getInteger("workspace_bytes").value_or(-1));
  EXPECT_GE(network.getInteger("memory_bytes"), layer.getInteger("memory_bytes"));
  ExpectRefusal(absl::StrCat("network ", Log(), " --json --html=-"), "both write to stdout");
}

/// The last product that executes the same code as the target's first one.
std::string OtherProduct() {
  std::string name;
  const auto products = ProductsOf(*ParseGfx(Target()));
  for (const Product& product : products) {
    if (product.processor == products.front().processor) name = product.name;
  }
  return name;
}

TEST(NetworkCommand, ComparesTwoDevices) {
  const std::string product = OtherProduct();
  const std::string compared = absl::StrCat("network ", Log(), " --compare='", product, "'");
  const llvm::json::Value document = Json(compared);
  ASSERT_NE(document.getAsObject(), nullptr);
  const llvm::json::Object& a = *document.getAsObject();
  const llvm::json::Object* const b = a.getObject("compared_with");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->getString("device"), product);
  EXPECT_EQ(b->getArray("layers")->size(), a.getArray("layers")->size());
  const ShellResult text = Gridwise(absl::StrCat(compared, " --device=", Target()));
  EXPECT_EQ(text.status, kSuccess) << text.out;
  EXPECT_THAT(text.out, AllOf(HasSubstr(absl::StrCat(product, " limited by")), HasSubstr("ratio"),
                              HasSubstr(absl::StrFormat("%s takes %.2f times as long as ", product,
                                                        b->getNumber("total_us").value_or(0) /
                                                            a.getNumber("total_us").value_or(1)))));
  ExpectRefusal(absl::StrCat("network ", Log(), " --compare=MI1"), "MI1");
}

/// No target has 8-bit floats of both kinds.
TEST(NetworkCommand, LayersWithoutKernelAreNamed) {
  const std::string path = testing::TempDir() + "/mixed.log";
  std::ofstream file(path);
  file << "MIOpenDriver convfp16 -n 2 -c 16 -k 16 -F 1\n";
  for (const char* const type : {"f8e4m3fn", "f8e4m3fnuz"}) {
    file << "%" << type << " = f32[2,8,8,16] convolution(" << type << "[2,8,8,16] %x, " << type
         << "[1,1,16,16] %w), window={size=1x1}, dim_labels=b01f_01io->b01f\n";
  }
  file.close();
  const ShellResult result = Gridwise(absl::StrCat("network ", path, " --device=", Target()));
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(result.out, AllOf(HasSubstr("no kernel  f8e4m3fn"), HasSubstr("3 convolutions"),
                                HasSubstr("l1_c16k16g1_32x32_3x3s1")));
}

}  // namespace
}  // namespace gridwise
