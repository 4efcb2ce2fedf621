#include "tools/gridwise/variant_flags.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/conv/validate.h"

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

/// Strides of a vector with a value for each output channel (of dw: for each k), or of a tensor
/// like the output.
PerAxis StridesFor(const ConvProblem& problem, bool per_channel) {
  const TensorAxes axes = problem.AxesOf(problem.out());
  if (!per_channel) return axes.stride;
  if (problem.out() == Tensor::kW) return {axes.size[1], 1, 0, 0, 0, 0};
  return {0, 0, 0, 0, axes.size[5], 1};
}

absl::Status ParseTensor(const char* flag, const std::string& text, const ConvProblem& problem,
                         EpilogueTensor& tensor) {
  const std::vector<std::string> words = absl::StrSplit(text, ':');
  std::size_t next = 1;
  const bool per_channel = next < words.size() && words[next] == "channel";
  if (per_channel) ++next;
  tensor = {.type = problem.output_type(), .stride = StridesFor(problem, per_channel)};
  const bool scale_is_number =
      next == words.size() || absl::SimpleAtod(words[next++], &tensor.scale);
  if ((words[0] == "add" || words[0] == "mul") && scale_is_number && next == words.size()) {
    if (words[0] == "mul") tensor.op = EpilogueTensor::Op::kMultiply;
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--", flag, " is '", text,
      "'; must be add or mul, then :channel for a value per channel, then :SCALE, as in "
      "add:channel:0.5"));
}

}  // namespace

absl::Status ApplyLayouts(const VariantFlags& flags, ConvProblem& problem) {
  absl::Status status = ParseName("layout", flags.layout, kAllLayouts, problem.layout);
  if (!status.ok()) return status;
  return ParseName("weight-layout", flags.weight_layout, kAllWeightLayouts, problem.weight_layout);
}

absl::Status ApplyVariant(const VariantFlags& flags, ConvProblem& problem) {
  if (absl::Status status = ApplyLayouts(flags, problem); !status.ok()) return status;
  Epilogue& epilogue = problem.epilogue;
  epilogue.alpha = flags.alpha;
  if (flags.relu) epilogue.low = 0;
  epilogue.low = flags.low.value_or(epilogue.low);
  epilogue.high = flags.high.value_or(epilogue.high);
  if (flags.d0.empty() && !flags.d1.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--d1 is '", flags.d1, "' and there is no --d0; a single tensor is --d0"));
  }
  for (const auto& [name, text] : {std::pair("d0", &flags.d0), {"d1", &flags.d1}}) {
    if (text->empty()) continue;
    EpilogueTensor& tensor = epilogue.d[static_cast<std::size_t>(epilogue.tensors++)];
    if (absl::Status status = ParseTensor(name, *text, problem, tensor); !status.ok())
      return status;
  }
  return Validate(problem);
}

}  // namespace gridwise
