// SPDX-License-Identifier: MIT
#include "tools/tune/our_words.h"

#include <tuple>

#include "gtest/gtest.h"

namespace gridwise {
namespace {

TEST(OurWord, IsThatOfOtherLibraries) {
  using enum WordKind;
  for (const auto& [kind, other, ours] : {
           std::tuple(kType, "fp16", "f16"),
           {kType, "FP16", "f16"},
           {kType, "half", "f16"},
           {kType, "F16", "f16"},
           {kType, "bfloat16", "bf16"},
           {kType, "fp32", "f32"},
           {kType, "int8", "i8"},
           {kType, "fp8", "f8"},
           {kType, "float8_e4m3fn", "f8e4m3fn"},
           {kDirection, "forward", "fwd"},
           {kDirection, "bwd-data", "bwd_data"},
           {kDirection, "dgrad", "bwd_data"},
           {kDirection, "backward_weights", "bwd_weight"},
           {kDirection, "wrw", "bwd_weight"},
           {kLayout, "NHWGC", "nhwgc"},
           {kLayout, "NDHWGC", "nhwgc"},
           {kLayout, "NCHW", "ngchw"},
           {kWeightLayout, "GKZYXC", "gkyxc"},
           {kWeightLayout, "KRSC", "gkyxc"},
           {kFamily, "classic", "ck"},
           {kFamily, "CK_TILE", "tile"},
           {kOp, "TwoStage", "two_stage"},
           {kOp, "CShuffleV3", "cshuffle_v3"},
       }) {
    EXPECT_EQ(OurWord(kind, other), ours) << other;
  }
}

TEST(OurWord, LeavesOthersAsTheyAre) {
  EXPECT_EQ(OurWord(WordKind::kType, "f64"), "f64");
  EXPECT_EQ(OurWord(WordKind::kDirection, "half"), "half");
  EXPECT_EQ(OurWord(WordKind::kDirection, "bwd"), "bwd");       // either of two
  EXPECT_EQ(OurWord(WordKind::kWeightLayout, "KCYX"), "KCYX");  // no kernel reads it
  EXPECT_EQ(OurWord(WordKind::kOp, ""), "");
}

TEST(TranslatePipeline, IsTheNameOfEverySchedule) {
  for (const PipelineElsewhere& known : PipelinesElsewhere()) {
    EXPECT_EQ(TranslatePipeline(known.pipeline).pipeline, known.pipeline) << known.name;
  }
  EXPECT_EQ(TranslatePipeline({Schedule::kWavelet, 4}).scheduler, "interwave");
  EXPECT_EQ(TranslatePipeline({Schedule::kDouble, 2}).name, "compv5");
  EXPECT_EQ(TranslatePipeline({Schedule::kSingle, 4}).name, "mem");
  EXPECT_EQ(TranslatePipeline({Schedule::kWavelet, 3}).name, "wavelet");
}

}  // namespace
}  // namespace gridwise
