// SPDX-License-Identifier: MIT
#include "tools/tune/our_words.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"

namespace gridwise {
namespace {

/// A word of ours, and what others write for it, in lower case without separators.
struct Words {
  WordKind kind;
  std::string_view ours;
  std::vector<std::string_view> others;
};

const std::vector<Words>& AllWords() {
  using enum WordKind;
  static const auto* const words = new std::vector<Words>{
      {kType, "f16", {"fp16", "half", "float16"}},
      {kType, "bf16", {"bfp16", "bfloat16"}},
      {kType, "f32", {"fp32", "float", "float32"}},
      {kType, "tf32", {"tensorfloat32"}},
      {kType, "i8", {"int8"}},
      {kType, "i32", {"int32"}},
      {kType, "f8", {"fp8", "e4m3", "fp8e4m3"}},
      {kType, "bf8", {"e5m2", "fp8e5m2"}},
      {kType, "f8e4m3fn", {"float8e4m3fn"}},
      {kType, "f8e4m3fnuz", {"float8e4m3fnuz"}},
      {kType, "f8e5m2", {"float8e5m2"}},
      {kType, "f8e5m2fnuz", {"float8e5m2fnuz"}},
      {kDirection, "fwd", {"forward", "fprop"}},
      {kDirection, "bwd_data", {"backwarddata", "dgrad"}},
      {kDirection,
       "bwd_weight",
       {"bwdweights", "backwardweight", "backwardweights", "wgrad", "wrw"}},
      {kDirection, "gemm", {"batchedgemm"}},
      // One name of ours is for all numbers of axes; without groups they lie the same.
      {kLayout, "nhwgc", {"nwgc", "ndhwgc", "nhwc", "nwc", "ndhwc"}},
      {kLayout, "gnhwc", {"gnwc", "gndhwc"}},
      {kLayout, "ngchw", {"ngcw", "ngcdhw", "nchw", "ncw", "ncdhw"}},
      {kWeightLayout, "gkyxc", {"gkxc", "gkzyxc", "kyxc", "kxc", "kzyxc", "krsc", "ktrsc"}},
      {kWeightLayout, "kyxgc", {"kxgc", "kzyxgc"}},
      {kFamily, "ck", {"classic"}},
      {kFamily, "tile", {"cktile"}},
      {kOp, "multiple_abd", {}},
      {kOp, "multiple_d", {}},
      {kOp, "cshuffle_v3", {}},
      {kOp, "two_stage", {}},
      {kOp, "explicit", {"explicitgemm"}},
      {kOp, "wavelet", {"waveletmodel"}},
      {kOp, "batched_gemm", {}}};
  return *words;
}

std::string Squeezed(std::string_view text) {
  std::string squeezed = absl::AsciiStrToLower(text);
  std::erase_if(squeezed, [](char c) { return c == '-' || c == '_' || c == ' '; });
  return squeezed;
}

constexpr std::string_view kIntra = "intrawave", kInter = "interwave";
/// If a name occurs several times, the first schedule is the nearest; if a schedule has several
/// names, the first is its own.
constexpr PipelineElsewhere kPipelines[] = {
    {"compv3", kIntra, {Schedule::kSingle, 1}},
    {"basic_v1", kIntra, {Schedule::kSingle, 1}},
    {"compv4", kIntra, {Schedule::kDouble, 1}},
    {"compv5", kIntra, {Schedule::kDouble, 2}},
    {"mem", kIntra, {Schedule::kDouble, 4}},
    {"mem", kIntra, {Schedule::kSingle, 2}},
    {"comp_async", kIntra, {Schedule::kDirect, 3}},
    {"basic_async_v1", kIntra, {Schedule::kDirect, 2}},
    {"wavelet", kInter, {Schedule::kWavelet, 4}},
    {"wavelet", kInter, {Schedule::kWavelet, 2}},
    {"wavelet", kIntra, {Schedule::kWavelet, 4}},
    {"wavelet", kIntra, {Schedule::kWavelet, 2}},
    // Waves take turns: some load while others multiply.
    {"mem", kInter, {Schedule::kWavelet, 4}},
    {"basic_v1", kInter, {Schedule::kWavelet, 2}},
};

}  // namespace

std::string OurWord(WordKind kind, std::string_view text) {
  const std::string squeezed = Squeezed(text);
  for (const Words& words : AllWords()) {
    if (words.kind != kind) continue;
    if (squeezed == Squeezed(words.ours) ||
        std::ranges::find(words.others, squeezed) != words.others.end()) {
      return std::string(words.ours);
    }
  }
  return std::string(text);
}

std::span<const PipelineElsewhere> PipelinesElsewhere() { return kPipelines; }

PipelineElsewhere TranslatePipeline(Pipeline pipeline) {
  for (const PipelineElsewhere& known : kPipelines) {
    if (known.pipeline == pipeline) return known;
  }
  switch (pipeline.schedule) {  // with another count
    case Schedule::kSingle:
    case Schedule::kDouble:
      return {"mem", kIntra, pipeline};
    case Schedule::kWavelet:
      return {"wavelet", kInter, pipeline};
    case Schedule::kDirect:
      return {"comp_async", kIntra, pipeline};
  }
  return {"none", kIntra, pipeline};
}

}  // namespace gridwise
