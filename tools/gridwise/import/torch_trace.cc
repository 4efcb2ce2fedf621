// SPDX-License-Identifier: MIT
#include "tools/gridwise/import/torch_trace.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_split.h"
#include "core/conv/problem.h"
#include "tools/gridwise/import/tensor_convolution.h"

namespace gridwise {
namespace {

constexpr char kKind[] = "operators of a PyTorch profile";

using Numbers = std::vector<std::int64_t>;

/// Names of events of a convolution that has another event, too.
constexpr std::string_view kNested[] = {"aten::conv1d",
                                        "aten::conv2d",
                                        "aten::conv3d",
                                        "aten::conv_transpose1d",
                                        "aten::conv_transpose2d",
                                        "aten::conv_transpose3d",
                                        "aten::_convolution",
                                        "aten::_convolution_mode",
                                        "aten::cudnn_convolution",
                                        "aten::cudnn_convolution_transpose",
                                        "aten::miopen_convolution",
                                        "aten::miopen_convolution_transpose",
                                        "aten::miopen_depthwise_convolution",
                                        "aten::mkldnn_convolution",
                                        "aten::mkldnn_convolution_backward",
                                        "aten::_conv_depthwise2d",
                                        "aten::thnn_conv2d",
                                        "aten::_slow_conv2d_forward",
                                        "aten::_slow_conv2d_backward",
                                        "aten::slow_conv3d",
                                        "aten::conv_depthwise3d"};

/// The arguments of an event.
class Arguments {
 public:
  explicit Arguments(const llvm::json::Object& event) : arguments_(event.getObject("args")) {}

  bool has_sizes() const { return List("Input Dims") != nullptr; }
  LogicalTensor Shape(std::size_t argument) const {
    return {.type = std::string(Text("Input type", argument)),
            .sizes = ReadNumbers("Input Dims", argument),
            .strides = ReadNumbers("Input Strides", argument)};
  }
  /// "[2, 2]", "False", "2".
  std::string_view Value(std::size_t argument) const { return Text("Concrete Inputs", argument); }
  /// The numbers of "[2, 2]".
  absl::StatusOr<Numbers> Values(std::string_view what, std::size_t argument) const {
    Numbers numbers;
    for (const std::string_view word : WordsOfList(argument)) {
      const absl::StatusOr<std::int64_t> number = ReadImportedNumber(what, word);
      if (!number.ok()) return number.status();
      numbers.push_back(*number);
    }
    return numbers;
  }
  std::vector<std::string_view> WordsOfList(std::size_t argument) const {
    return absl::StrSplit(Value(argument), absl::ByAnyChar("[], "), absl::SkipEmpty());
  }

 private:
  const llvm::json::Array* List(llvm::StringRef name) const {
    return arguments_ == nullptr ? nullptr : arguments_->getArray(name);
  }
  std::string_view Text(llvm::StringRef list, std::size_t argument) const {
    const llvm::json::Array* const values = List(list);
    if (values == nullptr || argument >= values->size()) return "";
    const std::optional<llvm::StringRef> text = (*values)[argument].getAsString();
    return text ? std::string_view(*text) : "";
  }
  Numbers ReadNumbers(llvm::StringRef list, std::size_t argument) const {
    Numbers numbers;
    const llvm::json::Array* const values = List(list);
    if (values == nullptr || argument >= values->size()) return numbers;
    const llvm::json::Array* const sizes = (*values)[argument].getAsArray();
    if (sizes == nullptr) return numbers;
    for (const llvm::json::Value& size : *sizes) {
      numbers.push_back(size.getAsInteger().value_or(-1));
    }
    return numbers;
  }

  const llvm::json::Object* arguments_;
};

/// A convolution's operator, and where its arguments are: x, the weights after it, and numbers:
/// stride, padding, dilation; transposed, output padding; groups.
struct Operator {
  std::string_view name;
  std::size_t x, numbers;
  bool is_backward = false;  // dy is the first argument, and the mask follows the groups
  bool is_fused = false;     // has neither transposed nor output padding
};
constexpr Operator kOperators[] = {{"aten::convolution", 0, 3},
                                   {"aten::convolution_backward", 1, 4, true},
                                   {"aten::cudnn_convolution_relu", 0, 3, false, true},
                                   {"aten::cudnn_convolution_add_relu", 0, 5, false, true},
                                   {"aten::miopen_convolution_relu", 0, 3, false, true},
                                   {"aten::miopen_convolution_add_relu", 0, 5, false, true}};

ImportedLine ReadConvolution(const llvm::json::Object& event, const Operator& what) {
  const Arguments arguments(event);
  if (!arguments.has_sizes()) {
    return absl::InvalidArgumentError(
        "the convolution has no Input Dims; profile with record_shapes=True");
  }
  TensorConvolution convolution = {.x = arguments.Shape(what.x), .w = arguments.Shape(what.x + 1)};
  if (what.is_backward) convolution.y = arguments.Shape(0);
  std::vector<std::pair<std::string_view, std::pair<std::size_t, Numbers*>>> numbers = {
      {"stride", {0, &convolution.stride}},
      {"padding", {1, &convolution.pad_begin}},
      {"dilation", {2, &convolution.dilation}}};
  if (!what.is_fused) numbers.push_back({"output_padding", {4, &convolution.output_padding}});
  for (const auto& [name, place] : numbers) {
    absl::StatusOr<Numbers> values = arguments.Values(name, what.numbers + place.first);
    if (!values.ok()) return values.status();
    *place.second = *std::move(values);
  }
  convolution.pad_end = convolution.pad_begin;
  convolution.transposed = !what.is_fused && arguments.Value(what.numbers + 3) == "True";
  const std::size_t after = what.numbers + (what.is_fused ? 3 : 5);
  absl::StatusOr<Numbers> groups = arguments.Values("groups", after);
  if (!groups.ok()) return groups.status();
  convolution.groups = groups->empty() ? 0 : groups->front();
  convolution.directions = what.is_backward ? DirectionsOfMask(arguments.WordsOfList(after + 1))
                                            : std::vector<Direction>{Direction::kForward};
  return ReadTensorConvolution(convolution, kKind);
}

const llvm::json::Array* FindEvents(const llvm::json::Value& document) {
  if (const llvm::json::Object* const object = document.getAsObject()) {
    return object->getArray("traceEvents");
  }
  return document.getAsArray();
}

}  // namespace

bool IsTrace(const llvm::json::Value& document) {
  const llvm::json::Array* const events = FindEvents(document);
  return events != nullptr && std::ranges::any_of(*events, [](const llvm::json::Value& event) {
           return event.getAsObject() != nullptr && event.getAsObject()->get("ph") != nullptr;
         });
}

void ForEachOperator(const llvm::json::Value& trace,
                     const std::function<void(int number, ImportedLine)>& visit) {
  const llvm::json::Array* const events = FindEvents(trace);
  if (events == nullptr) return;
  int number = 0;
  for (const llvm::json::Value& value : *events) {
    ++number;
    const llvm::json::Object* const event = value.getAsObject();
    if (event == nullptr || event->getString("cat") != "cpu_op") continue;
    const std::string_view name = event->getString("name").value_or("");
    const auto* const what = std::ranges::find(kOperators, name, &Operator::name);
    if (what != std::end(kOperators)) {
      visit(number, ReadConvolution(*event, *what));
    } else if (std::ranges::find(kNested, name) == std::end(kNested)) {
      visit(number, ImportedItem::Skip(kKind, name));
    }
  }
}

}  // namespace gridwise
