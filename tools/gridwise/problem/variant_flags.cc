// SPDX-License-Identifier: MIT
#include "tools/gridwise/problem/variant_flags.h"

#include <cstddef>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/conv/validate.h"
#include "core/gemm/validate.h"

namespace gridwise {
namespace {

template <class Value, std::size_t kCount>
absl::Status ParseName(const char* flag, const std::string& text, const Value (&all)[kCount],
                       Value& value) {
  if (text.empty()) return absl::OkStatus();
  for (const Value known : all) {
    if (text != Name(known)) continue;
    value = known;
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--", flag, " is '", text, "'; must be one of ",
      absl::StrJoin(all, ", ",
                    [](std::string* out, Value known) { absl::StrAppend(out, Name(known)); })));
}

/// Possible strides of the epilogue's tensors: those of a vector with one value per output channel
/// (for dw: per k), and those of a tensor like the output.
struct TensorKinds {
  DataType type;
  PerAxis of_channels, of_elements;
};
TensorKinds KindsOf(const ConvProblem& problem) {
  const TensorAxes axes = problem.AxesOf(problem.out());
  const PerAxis of_channels = problem.out() == Tensor::kW ? PerAxis{axes.size[1], 1, 0, 0, 0, 0}
                                                          : PerAxis{0, 0, 0, 0, axes.size[5], 1};
  return {problem.output_type(), of_channels, axes.stride};
}
TensorKinds KindsOf(const GemmProblem& problem) {
  return {problem.output_type(), PerAxisStrides({.batch = 0, .row = 0, .column = 1}),
          PerAxisStrides(problem.c)};
}

absl::Status ParseTensor(const char* flag, const std::string& text, const TensorKinds& kinds,
                         EpilogueTensor& tensor) {
  const std::vector<std::string> words = absl::StrSplit(text, ':');
  std::size_t next = 1;
  const bool per_channel = next < words.size() && words[next] == "channel";
  if (per_channel) ++next;
  tensor = {.type = kinds.type, .stride = per_channel ? kinds.of_channels : kinds.of_elements};
  const bool has_scale = next + 1 == words.size() && absl::SimpleAtod(words[next], &tensor.scale);
  if ((words[0] == "add" || words[0] == "mul") && (next == words.size() || has_scale)) {
    if (words[0] == "mul") tensor.op = EpilogueTensor::Op::kMultiply;
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--", flag, " is '", text,
      "'; must be add or mul, then :channel for a value per channel, then :SCALE, as in "
      "add:channel:0.5"));
}

absl::Status ParseUnary(const std::string& text, Epilogue& epilogue) {
  const std::vector<std::string> words = absl::StrSplit(text, ':');
  absl::Status status = ParseName("unary", words[0], kAllUnary, epilogue.unary);
  if (!status.ok() || words.size() == 1) return status;
  if (words.size() == 2 && absl::SimpleAtod(words[1], &epilogue.unary_parameter)) return status;
  return absl::InvalidArgumentError(absl::StrCat(
      "--unary is '", text, "'; must be a function's name, then :PARAMETER, as in elu:0.5"));
}

absl::Status ApplyEpilogue(const VariantFlags& flags, const TensorKinds& kinds,
                           Epilogue& epilogue) {
  epilogue.alpha = flags.alpha;
  if (flags.relu) epilogue.low = 0;
  epilogue.low = flags.low.value_or(epilogue.low);
  epilogue.high = flags.high.value_or(epilogue.high);
  if (absl::Status status = ParseUnary(flags.unary, epilogue); !status.ok()) return status;
  if (flags.d0.empty() && !flags.d1.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--d1 is '", flags.d1, "' and there is no --d0; a single tensor is --d0"));
  }
  for (const auto& [name, text] : {std::pair("d0", &flags.d0), {"d1", &flags.d1}}) {
    if (text->empty()) continue;
    EpilogueTensor& tensor = epilogue.d[static_cast<std::size_t>(epilogue.tensors++)];
    if (absl::Status status = ParseTensor(name, *text, kinds, tensor); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ApplyLayouts(const VariantFlags& flags, ConvProblem& problem) {
  absl::Status status = ParseName("layout", flags.layout, kAllLayouts, problem.layout);
  if (!status.ok()) return status;
  return ParseName("weight-layout", flags.weight_layout, kAllWeightLayouts, problem.weight_layout);
}

absl::Status ApplyVariant(const VariantFlags& flags, ConvProblem& problem) {
  if (absl::Status status = ApplyLayouts(flags, problem); !status.ok()) return status;
  if (flags.a1) problem.operand_sums[0] = {.adds = true, .scale = *flags.a1};
  if (flags.b1) problem.operand_sums[1] = {.adds = true, .scale = *flags.b1};
  absl::Status status = ApplyEpilogue(flags, KindsOf(problem), problem.epilogue);
  return status.ok() ? Validate(problem) : status;
}

absl::Status ApplyVariant(const VariantFlags& flags, GemmProblem& problem) {
  if (flags.a1 || flags.b1) {
    return absl::InvalidArgumentError(
        "--a1 and --b1 apply only to forward convolutions; matrices A and B are single tensors");
  }
  if (!flags.layout.empty() || !flags.weight_layout.empty()) {
    return absl::InvalidArgumentError(
        "--layout and --weight-layout apply only to convolutions; matrices have --a, --b and "
        "--out-order");
  }
  absl::Status status = ApplyEpilogue(flags, KindsOf(problem), problem.epilogue);
  return status.ok() ? Validate(problem) : status;
}

}  // namespace gridwise
