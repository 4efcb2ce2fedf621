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
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "core/base/types.h"
#include "core/conv/problem.h"

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
  bool has_strides() const { return List("Input Strides") != nullptr; }
  Numbers Sizes(std::size_t argument) const { return NumbersOf("Input Dims", argument); }
  Numbers Strides(std::size_t argument) const { return NumbersOf("Input Strides", argument); }
  std::string_view Type(std::size_t argument) const { return Text("Input type", argument); }
  /// "[2, 2]", "False", "2".
  std::string_view Value(std::size_t argument) const { return Text("Concrete Inputs", argument); }
  /// The numbers of "[2, 2]", one for each axis.
  absl::StatusOr<Numbers> Values(std::string_view what, std::size_t argument,
                                 std::size_t rank) const {
    Numbers numbers;
    for (const std::string_view word :
         absl::StrSplit(Value(argument), absl::ByAnyChar("[], "), absl::SkipEmpty())) {
      const absl::StatusOr<std::int64_t> number = ReadImportedNumber(what, word);
      if (!number.ok()) return number.status();
      numbers.push_back(*number);
    }
    if (numbers.size() == 1) numbers.resize(rank, numbers.front());
    if (numbers.size() == rank) return numbers;
    return absl::InvalidArgumentError(
        absl::StrFormat("%s is '%s'; must have %d numbers", what, Value(argument), rank));
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
  Numbers NumbersOf(llvm::StringRef list, std::size_t argument) const {
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

std::optional<DataType> TypeOf(std::string_view name) {
  constexpr std::pair<std::string_view, DataType> kTypes[] = {
      {"float", DataType::kF32}, {"c10::Half", DataType::kF16}, {"c10::BFloat16", DataType::kBF16}};
  for (const auto& [known, type] : kTypes) {
    if (known == name) return type;
  }
  return std::nullopt;
}

/// Whether a tensor of these sizes, in the order N, C and the axes, is packed with channels last.
/// One that is packed both ways, since some sizes are 1, is.
bool IsChannelsLast(const Numbers& sizes, const Numbers& strides) {
  if (sizes.size() < 3 || strides.size() != sizes.size()) return false;
  Numbers order = {1};  // innermost first
  for (std::size_t axis = sizes.size() - 1; axis >= 2; --axis)
    order.push_back(static_cast<std::int64_t>(axis));
  order.push_back(0);
  double stride = 1;
  for (const std::int64_t index : order) {
    const auto axis = static_cast<std::size_t>(index);
    if (sizes[axis] != 1 && static_cast<double>(strides[axis]) != stride) return false;
    stride *= static_cast<double>(sizes[axis]);
  }
  return true;
}

/// The tensors and numbers of aten::convolution, and of its backward.
struct Call {
  std::size_t x = 0, w = 1, numbers = 3;           // positions; of the numbers, the first
  Numbers input = {}, weight = {}, gradient = {};  // sizes; the gradient's of y, of backward alone
};

absl::StatusOr<ConvProblem> GeometryOf(const Arguments& arguments, const Call& call) {
  const auto rank = call.weight.size() - 2;
  std::vector<Numbers> numbers;
  constexpr std::pair<std::string_view, std::size_t> kNumbers[] = {
      {"stride", 0}, {"padding", 1}, {"dilation", 2}, {"output_padding", 4}};
  for (const auto& [what, position] : kNumbers) {
    absl::StatusOr<Numbers> values = arguments.Values(what, call.numbers + position, rank);
    if (!values.ok()) return values.status();
    numbers.push_back(*std::move(values));
  }
  const absl::StatusOr<std::int64_t> groups =
      ReadImportedNumber("groups", arguments.Value(call.numbers + 5));
  if (!groups.ok()) return groups.status();
  const bool transposed = arguments.Value(call.numbers + 3) == "True";
  const std::int64_t w1 = call.weight[1] * *groups;
  ConvProblem problem = {.rank = static_cast<int>(rank),
                         .groups = *groups,
                         .batch = call.input[0],
                         .c = transposed ? w1 : call.input[1],
                         .k = call.weight[0]};
  const std::vector<Dim*> axes = AxesOf(problem);
  Numbers out;
  for (std::size_t i = 0; i < rank; ++i) {
    Dim& dim = *axes[i];
    dim = {.in = call.input[2 + i],
           .filter = call.weight[2 + i],
           .stride = numbers[0][i],
           .dilation = numbers[2][i],
           .pad_begin = numbers[1][i],
           .pad_end = numbers[1][i]};
    if (!transposed) continue;
    out.push_back(dim.in);
    dim.in = (dim.in - 1) * dim.stride + dim.dilated_filter() - 2 * dim.pad_begin + numbers[3][i];
  }
  if (!transposed && !call.gradient.empty())
    out.assign(call.gradient.begin() + 2, call.gradient.end());
  if (!transposed && call.input[1] != w1) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the input has %d channels and the weights %d in %d groups", call.input[1],
                        call.weight[1], *groups));
  }
  if (out.empty()) return problem;
  if (absl::Status status = CheckOutput(problem, out); !status.ok()) return status;
  return problem;
}

absl::Status CheckSizes(const Call& call) {
  const std::size_t dimensions = call.weight.size();
  const bool same = call.input.size() == dimensions &&
                    (call.gradient.empty() || call.gradient.size() == dimensions);
  if (!same || dimensions < 3 || dimensions > 5) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the tensors have %d and %d dimensions; must have 3, 4 or 5, as many each",
                        call.input.size(), dimensions));
  }
  for (const Numbers& sizes : {call.input, call.weight, call.gradient}) {
    for (const std::int64_t size : sizes) {
      if (size < 0 || size > kMaxImportedNumber) {
        return absl::InvalidArgumentError(
            absl::StrFormat("a size is %d; must be 0 to %d", size, kMaxImportedNumber));
      }
    }
  }
  return absl::OkStatus();
}

/// The directions of an event: of the forward operator, or those that the backward's mask asks for.
std::vector<Direction> DirectionsOf(const Arguments& arguments, const Call& call, bool backward) {
  const bool transposed = arguments.Value(call.numbers + 3) == "True";
  const Direction data = transposed ? Direction::kForward : Direction::kBackwardData;
  if (!backward) return {transposed ? Direction::kBackwardData : Direction::kForward};
  std::vector<Direction> directions;
  const std::vector<std::string_view> mask =
      absl::StrSplit(arguments.Value(call.numbers + 6), absl::ByAnyChar("[], "), absl::SkipEmpty());
  const auto asks = [&](std::size_t output) {
    return output < mask.size() && mask[output] == "True";
  };
  if (asks(0)) directions.push_back(data);
  if (asks(1)) directions.push_back(Direction::kBackwardWeight);
  return directions;
}

ImportedLine ReadConvolution(const llvm::json::Object& event, bool backward) {
  const Arguments arguments(event);
  if (!arguments.has_sizes()) {
    return absl::InvalidArgumentError(
        "the convolution has no Input Dims; profile with record_shapes=True");
  }
  Call call = backward ? Call{.x = 1, .w = 2, .numbers = 4} : Call{};
  call.input = arguments.Sizes(call.x);
  call.weight = arguments.Sizes(call.w);
  if (backward) call.gradient = arguments.Sizes(0);
  if (absl::Status status = CheckSizes(call); !status.ok()) return status;
  absl::StatusOr<ConvProblem> problem = GeometryOf(arguments, call);
  if (!problem.ok()) return problem.status();
  const std::optional<DataType> type = TypeOf(arguments.Type(call.x));
  if (!type) {
    return absl::UnimplementedError(absl::StrFormat(
        "the type is %s; Gridwise has float, c10::Half and c10::BFloat16", arguments.Type(call.x)));
  }
  problem->type = *type;
  ImportedItem item = {.kind = kKind};
  const bool last = IsChannelsLast(call.input, arguments.Strides(call.x));
  problem->layout = last ? Layout::kNHWGC : Layout::kNGCHW;
  if (!arguments.has_strides()) {
    item.note = "the trace has no strides; taken as NCHW";
  } else if (!IsChannelsLast(call.weight, arguments.Strides(call.w))) {
    item.note = kWeightsDiffer;
  }
  for (const Direction direction : DirectionsOf(arguments, call, backward)) {
    problem->direction = direction;
    item.problems.push_back(*problem);
  }
  if (item.problems.empty()) item.skipped = "gradients of biases alone";
  return item;
}

const llvm::json::Array* EventsOf(const llvm::json::Value& document) {
  if (const llvm::json::Object* const object = document.getAsObject()) {
    return object->getArray("traceEvents");
  }
  return document.getAsArray();
}

}  // namespace

bool IsTrace(const llvm::json::Value& document) {
  const llvm::json::Array* const events = EventsOf(document);
  return events != nullptr && std::ranges::any_of(*events, [](const llvm::json::Value& event) {
           return event.getAsObject() != nullptr && event.getAsObject()->get("ph") != nullptr;
         });
}

void ForEachOperator(const llvm::json::Value& trace,
                     const std::function<void(int number, ImportedLine)>& visit) {
  const llvm::json::Array* const events = EventsOf(trace);
  if (events == nullptr) return;
  int number = 0;
  for (const llvm::json::Value& value : *events) {
    ++number;
    const llvm::json::Object* const event = value.getAsObject();
    if (event == nullptr || event->getString("cat") != "cpu_op") continue;
    const std::string_view name = event->getString("name").value_or("");
    if (name == "aten::convolution" || name == "aten::convolution_backward") {
      visit(number, ReadConvolution(*event, name != "aten::convolution"));
    } else if (std::ranges::find(kNested, name) == std::end(kNested)) {
      visit(number, ImportedItem::Skip(kKind, name));
    }
  }
}

}  // namespace gridwise
