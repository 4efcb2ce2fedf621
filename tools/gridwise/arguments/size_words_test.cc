// SPDX-License-Identifier: MIT
#include "tools/gridwise/arguments/size_words.h"

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::HasSubstr;

/// The flags of a layer, after "transposed" if it is, or what it is instead.
std::string DescribeLayer(std::string_view layer) {
  const auto read = ReadLayer(layer);
  if (!read.ok()) return std::string(read.status().message());
  if (!*read) return "no layer";
  return absl::StrCat((*read)->transposed ? "transposed " : "", absl::StrJoin((*read)->flags, " "));
}

/// As `print` of PyTorch 2 writes modules.
TEST(ReadLayer, ModulesOfPyTorch) {
  EXPECT_EQ(DescribeLayer(
                "Conv2d(64, 128, kernel_size=(3, 3), stride=(2, 2), padding=(1, 1), bias=False)"),
            "--c=64 --k=128 --filter=3x3 --stride=2x2 --pad=1x1");
  EXPECT_EQ(DescribeLayer("  (conv1): Conv1d(16, 33, kernel_size=(3,), stride=(1,), padding=same, "
                          "dilation=(2,), groups=4)"),
            "--c=16 --k=33 --filter=3 --stride=1 --pad=same --dilation=2 --groups=4");
  EXPECT_EQ(DescribeLayer("(up): ConvTranspose2d(64, 32, kernel_size=(4, 4), stride=(2, 2), "
                          "padding=(1, 1), output_padding=(1, 1))"),
            "transposed --c=64 --k=32 --filter=4x4 --stride=2x2 --pad=1x1 --output-padding=1x1");
}

TEST(ReadLayer, ProgramsOfPyTorch) {
  EXPECT_EQ(DescribeLayer("nn.Conv2d(3, 64, 7, 2, 3, bias=False)"),
            "--c=3 --k=64 --filter=7x7 --stride=2 --pad=3");
  EXPECT_EQ(DescribeLayer("self.a = torch.nn.Conv3d(3, 64, (1, 3, 3), padding='valid', "
                          "padding_mode='zeros', dtype=torch.float16)"),
            "--c=3 --k=64 --filter=1x3x3 --pad=valid --type=float16");
  EXPECT_EQ(DescribeLayer("nn.ConvTranspose1d(8, 4, 3, 2, 1, 1, 2, False, 1)"),
            "transposed --c=8 --k=4 --filter=3 --stride=2 --pad=1 --output-padding=1 --groups=2 "
            "--dilation=1");
}

/// As onnx.printer.to_text and onnx.helper.printable_node write them.
TEST(ReadLayer, NodesOfOnnx) {
  EXPECT_EQ(DescribeLayer("y = Conv <auto_pad: string = \"NOTSET\", kernel_shape = [3, 5], "
                          "pads = [1, 2, 1, 2], strides = [2, 2], group: int = 2> (x, w)"),
            "--filter=3x5 --pad=1x2 --stride=2x2 --groups=2");
  EXPECT_EQ(DescribeLayer(
                "%y = Conv[dilations = [1, 1], kernel_shape = [3, 3], pads = [0, 0, 1, 1]](%x)"),
            "--dilation=1x1 --filter=3x3 --pad=0x0 --pad-end=1x1");
  EXPECT_EQ(DescribeLayer("y = ConvTranspose <auto_pad = \"SAME_LOWER\"> (x, w)"),
            "transposed --pad=SAME_LOWER");
}

TEST(ReadLayer, OthersAreNone) {
  for (const std::string_view text :
       {"", "Conv", "Conv2d", "Conv2d(3, 64", "l2.conv2b", "Linear(in_features=3)",
        "MyConv2d(3, 4)", "Conv4d(3, 4)", "MIOpenDriver conv -n 3", "Conv(3, 4)"}) {
    EXPECT_EQ(DescribeLayer(text), "no layer") << text;
  }
}

TEST(ReadLayer, WhatGridwiseDoesNotHaveIsNamed) {
  EXPECT_EQ(DescribeLayer("Conv2d(3, 4, kernel_size=(3, 3), padding=(1, 1), padding_mode=reflect)"),
            "Conv2d has padding_mode=reflect, which Gridwise does not have");
  EXPECT_EQ(DescribeLayer("ConvTranspose <output_shape = [6, 6]> (x, w)"),
            "ConvTranspose has output_shape=[6, 6], which Gridwise does not have");
  EXPECT_THAT(DescribeLayer("Conv <pads = [1, 1, 1]> (x)"),
              HasSubstr("pads is '[1, 1, 1]'; must be"));
  EXPECT_THAT(DescribeLayer("Conv <auto_pad = \"SAME\"> (x)"),
              HasSubstr("auto_pad is 'SAME'; must be"));
  EXPECT_THAT(DescribeLayer("Conv <[3]> (x)"), HasSubstr("Conv has '[3]', which has no name"));
}

TEST(SizeFlags, OfAttributes) {
  const auto text = [](std::string_view attribute, std::string_view value) -> std::string {
    const auto flags = SizeFlags(attribute, value);
    if (!flags.ok()) return std::string(flags.status().message());
    return *flags ? absl::StrJoin(**flags, " ") : "no attribute";
  };
  EXPECT_EQ(text("kernel_size", "(3, 5)"), "--filter=3x5");
  EXPECT_EQ(text("strides", "2,2"), "--stride=2x2");
  EXPECT_EQ(text("padding", "same"), "--pad=same");
  EXPECT_EQ(text("pads", "0x1"), "--pad=0 --pad-end=1");
  EXPECT_EQ(text("auto_pad", "NOTSET"), "");
  EXPECT_EQ(text("in", "3"), "no attribute");
}

}  // namespace
}  // namespace gridwise
