// SPDX-License-Identifier: MIT
#include "tools/gridwise/import/torch_program.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "core/conv/problem.h"
#include "tools/gridwise/import/tensor_convolution.h"

namespace gridwise {
namespace {

constexpr char kKind[] = "operators of a PyTorch program";
constexpr std::string_view kOperator = "torch.ops.";

using Numbers = std::vector<std::int64_t>;

/// An operator, and the names of its arguments in their order.
struct Operator {
  std::string_view name;
  std::vector<std::string_view> arguments;
};

const std::vector<Operator>& Operators() {
  static const auto* const kOperators = [] {
    const std::vector<std::string_view> forward = {"input",   "weight",   "bias",  "stride",
                                                   "padding", "dilation", "groups"};
    const std::vector<std::string_view> transposed = {
        "input", "weight", "bias", "stride", "padding", "output_padding", "groups", "dilation"};
    const std::vector<std::string_view> any = {"input",      "weight",         "bias",
                                               "stride",     "padding",        "dilation",
                                               "transposed", "output_padding", "groups"};
    return new std::vector<Operator>{
        {"conv1d", forward},
        {"conv2d", forward},
        {"conv3d", forward},
        {"conv_transpose1d", transposed},
        {"conv_transpose2d", transposed},
        {"conv_transpose3d", transposed},
        {"convolution", any},
        {"_convolution", any},
        {"convolution_backward",
         {"grad_output", "input", "weight", "bias_sizes", "stride", "padding", "dilation",
          "transposed", "output_padding", "groups", "output_mask"}}};
  }();
  return *kOperators;
}

/// The arguments of a call by name. Those that are not given are "".
class Arguments {
 public:
  /// `text` is what is between the parentheses.
  Arguments(const Operator& op, std::string_view text) : op_(op), values_(op.arguments.size()) {
    std::size_t position = 0;
    for (const std::string_view part : SplitList(text)) {
      const std::size_t equal = part.find('=');
      std::size_t index = position++;
      std::string_view value = part;
      if (equal != std::string_view::npos) {
        index = FindIndex(absl::StripAsciiWhitespace(part.substr(0, equal)));
        value = absl::StripAsciiWhitespace(part.substr(equal + 1));
      }
      if (index < values_.size()) values_[index] = value;
    }
  }

  std::string_view Value(std::string_view name) const {
    const std::size_t index = FindIndex(name);
    return index < values_.size() ? values_[index] : "";
  }
  /// The words of a list.
  std::vector<std::string_view> List(std::string_view name) const {
    return absl::StrSplit(Value(name), absl::ByAnyChar("[](), "), absl::SkipEmpty());
  }
  /// The numbers of a list, or of one number; `otherwise` if the argument is not given.
  absl::StatusOr<Numbers> List(std::string_view name, std::int64_t otherwise) const {
    Numbers numbers;
    for (const std::string_view word : List(name)) {
      const absl::StatusOr<std::int64_t> number = ReadImportedNumber(name, word);
      if (!number.ok()) return number.status();
      numbers.push_back(*number);
    }
    if (numbers.empty()) numbers.push_back(otherwise);
    return numbers;
  }

 private:
  std::size_t FindIndex(std::string_view name) const {
    return static_cast<std::size_t>(std::ranges::find(op_.arguments, name) - op_.arguments.begin());
  }

  const Operator& op_;
  std::vector<std::string_view> values_;
};

/// "2, 64, s77": a size that the program leaves open is -1.
Numbers ParseSizes(std::string_view text) {
  Numbers sizes;
  for (const std::string_view part : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    std::int64_t size = -1;
    sizes.push_back(absl::SimpleAtoi(absl::StripAsciiWhitespace(part), &size) ? size : -1);
  }
  return sizes;
}

class Reader {
 public:
  ImportedLine operator()(std::string_view line) {
    line = line.substr(0, line.find("# "));  // comments show the model's source
    RememberShapes(line);
    RememberAlias(line);
    const std::size_t at = line.find(kOperator);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view call = line.substr(at + kOperator.size());
    const std::size_t open = call.find('(');
    if (open == std::string_view::npos || (open > 0 && call[open - 1] == ']')) {
      return ReadWithoutSizes(line, call);
    }
    const std::vector<std::string_view> words = absl::StrSplit(call.substr(0, open), '.');
    const auto op = words.size() < 2 || words[0] != "aten"
                        ? Operators().end()
                        : std::ranges::find(Operators(), words[1], &Operator::name);
    if (op == Operators().end()) {
      return ImportedItem::Skip(
          kKind, words.size() < 2 ? words[0] : absl::StrCat(words[0], ".", words[1]));
    }
    const std::size_t size = FindClosing(call.substr(open)) - 1;  // npos - 1: to the end
    return Read(*op, Arguments(*op, call.substr(open + 1, size)));
  }

 private:
  /// `%conv2d : call_function[target=torch.ops.aten.conv2d.default](...)`: a graph, without sizes.
  static ImportedLine ReadWithoutSizes(std::string_view line, std::string_view call) {
    if (!line.substr(0, line.size() - call.size()).ends_with("[target=torch.ops.")) {
      return std::nullopt;
    }
    if (!call.starts_with("aten.conv") && !call.starts_with("aten._conv")) {
      return ImportedItem::Skip(kKind, call.substr(0, call.find_first_of(".]", 5)));
    }
    return absl::InvalidArgumentError(
        "a graph has no sizes; print the program, or graph_module.print_readable()");
  }

  /// `NAME: "f32[8, 3, 224, 224][150528, 1, 672, 3]cuda:0"`, any number of them.
  void RememberShapes(std::string_view line) {
    for (std::size_t at = line.find(": \""); at != std::string_view::npos;
         at = line.find(": \"", at + 3)) {
      std::size_t begin = at;
      while (begin > 0 && (absl::ascii_isalnum(line[begin - 1]) || line[begin - 1] == '_')) --begin;
      const std::string_view shape = line.substr(at + 3, line.find('"', at + 3) - at - 3);
      const std::size_t open = shape.find('['), close = shape.find(']');
      if (begin == at || open == std::string_view::npos || close == std::string_view::npos ||
          close < open) {
        continue;
      }
      LogicalTensor& known = shapes_[std::string(line.substr(begin, at - begin))];
      known = {.type = std::string(shape.substr(0, open)),
               .sizes = ParseSizes(shape.substr(open + 1, close - open - 1))};
      const std::string_view rest = shape.substr(close + 1);
      if (rest.starts_with('[')) known.strides = ParseSizes(rest.substr(1, rest.find(']') - 1));
    }
  }

  /// `input_1 = input`: torch.fx gives arguments with names of Python's built-in functions another.
  void RememberAlias(std::string_view line) {
    const std::size_t equal = line.rfind(" = ");
    if (equal == std::string_view::npos) return;
    const auto known =
        shapes_.find(std::string(absl::StripAsciiWhitespace(line.substr(equal + 3))));
    if (known == shapes_.end()) return;
    const std::size_t begin = line.find_last_of(" \t", equal - 1) + 1;  // npos + 1 is 0
    const LogicalTensor shape = known->second;
    shapes_[std::string(line.substr(begin, equal - begin))] = shape;
  }

  absl::StatusOr<LogicalTensor> FindShape(std::string_view what, std::string_view name) const {
    const auto known = shapes_.find(std::string(name));
    if (known != shapes_.end()) return known->second;
    return absl::InvalidArgumentError(
        absl::StrFormat("the sizes of %s, '%s', are not given before", what, name));
  }

  ImportedLine Read(const Operator& op, const Arguments& arguments) const {
    TensorConvolution convolution;
    const std::tuple<std::string_view, std::string_view, LogicalTensor*> kTensors[] = {
        {"the input", "input", &convolution.x},
        {"the weights", "weight", &convolution.w},
        {"the gradient", "grad_output", &convolution.y}};
    const bool backward = op.name == "convolution_backward";
    for (const auto& [what, name, tensor] : kTensors) {
      if (tensor == &convolution.y && !backward) continue;
      absl::StatusOr<LogicalTensor> shape = FindShape(what, arguments.Value(name));
      if (!shape.ok()) return shape.status();
      *tensor = *std::move(shape);
    }
    if (absl::Status status = SetNumbers(op, arguments, convolution); !status.ok()) return status;
    convolution.directions = backward ? DirectionsOfMask(arguments.List("output_mask"))
                                      : std::vector<Direction>{Direction::kForward};
    bool is_open = false;
    for (LogicalTensor* const tensor : {&convolution.x, &convolution.y}) {
      if (tensor->sizes.empty() || tensor->sizes.front() >= 0) continue;
      tensor->sizes.front() = 1;
      is_open = true;
    }
    for (const std::int64_t size : convolution.x.sizes) {
      if (size >= 0) continue;
      return absl::InvalidArgumentError(
          "the program leaves sizes of the input open; export it with fixed ones");
    }
    absl::StatusOr<ImportedItem> item = ReadTensorConvolution(convolution, kKind);
    if (item.ok() && is_open) {
      absl::StrAppend(&item->note, item->note.empty() ? "" : "; ",
                      "its number of images is open; taken as 1");
    }
    return item;
  }

  static absl::Status SetNumbers(const Operator& op, const Arguments& arguments,
                                 TensorConvolution& convolution) {
    convolution.transposed =
        op.name.starts_with("conv_transpose") || arguments.Value("transposed") == "True";
    const bool same = arguments.Value("padding") == "'same'";
    const bool valid = arguments.Value("padding") == "'valid'";
    const std::tuple<std::string_view, std::int64_t, Numbers*> kNumbers[] = {
        {"stride", 1, &convolution.stride},
        {"dilation", 1, &convolution.dilation},
        {"output_padding", 0, &convolution.output_padding},
        {"padding", 0, &convolution.pad_begin}};
    for (const auto& [name, otherwise, numbers] : kNumbers) {
      if (numbers == &convolution.pad_begin && (same || valid)) continue;
      absl::StatusOr<Numbers> values = arguments.List(name, otherwise);
      if (!values.ok()) return values.status();
      *numbers = *std::move(values);
    }
    convolution.pad_end = convolution.pad_begin;
    if (same) SetSamePadding(convolution);
    const absl::StatusOr<Numbers> groups = arguments.List("groups", 1);
    if (!groups.ok()) return groups.status();
    convolution.groups = groups->front();
    return absl::OkStatus();
  }

  /// d(f - 1) zeros, the odd one at the end. PyTorch refuses it with strides.
  static void SetSamePadding(TensorConvolution& convolution) {
    const Numbers& w = convolution.w.sizes;
    Numbers& dilation = convolution.dilation;
    const std::size_t rank = w.size() < 3 ? 0 : w.size() - 2;
    if (dilation.size() == 1) dilation.resize(rank, dilation.front());
    if (dilation.size() != rank) return;  // an error elsewhere
    convolution.pad_begin.assign(rank, 0);
    convolution.pad_end.assign(rank, 0);
    for (std::size_t i = 0; i < rank; ++i) {
      const std::int64_t size = std::clamp(w[2 + i], std::int64_t{1}, kMaxImportedNumber);
      const std::int64_t total = dilation[i] * (size - 1);
      convolution.pad_begin[i] = total / 2;
      convolution.pad_end[i] = total - total / 2;
    }
  }

  std::unordered_map<std::string, LogicalTensor> shapes_;
};

}  // namespace

LineReader TorchProgramReader() { return Reader(); }

}  // namespace gridwise
