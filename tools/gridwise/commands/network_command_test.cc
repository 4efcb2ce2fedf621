// SPDX-License-Identifier: MIT
/// `gridwise import` and `gridwise network`, as a user runs them.

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/text/shell.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Support/JSON.h"
#include "tools/gridwise/cli/exit_code.h"
#include "tools/gridwise/cli/run_gridwise.h"

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
