// SPDX-License-Identifier: MIT
#include "tools/gridwise/import/cudnn_log.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "core/conv/problem.h"
#include "tools/gridwise/import/tensor_convolution.h"

namespace gridwise {
namespace {

constexpr char kKind[] = "calls of cuDNN's log";

using Numbers = std::vector<std::int64_t>;

/// A kind of convolution: its operation of a graph, and its function before version 8.
struct Convolution {
  std::string_view operation, function;
  Direction direction;
  bool is_search = false;
};
constexpr Convolution kConvolutions[] = {
    {"CONVOLUTION_FORWARD", "cudnnConvolutionForward", Direction::kForward},
    {"CONVOLUTION_BACKWARD_DATA", "cudnnConvolutionBackwardData", Direction::kBackwardData},
    {"CONVOLUTION_BACKWARD_FILTER", "cudnnConvolutionBackwardFilter", Direction::kBackwardWeight},
    {"", "cudnnConvolutionBiasActivationForward", Direction::kForward},
    {"", "cudnnFindConvolutionForwardAlgorithm", Direction::kForward, true},
    {"", "cudnnFindConvolutionForwardAlgorithmEx", Direction::kForward, true},
    {"", "cudnnGetConvolutionForwardAlgorithm_v7", Direction::kForward, true},
    {"", "cudnnFindConvolutionBackwardDataAlgorithm", Direction::kBackwardData, true},
    {"", "cudnnFindConvolutionBackwardDataAlgorithmEx", Direction::kBackwardData, true},
    {"", "cudnnGetConvolutionBackwardDataAlgorithm_v7", Direction::kBackwardData, true},
    {"", "cudnnFindConvolutionBackwardFilterAlgorithm", Direction::kBackwardWeight, true},
    {"", "cudnnFindConvolutionBackwardFilterAlgorithmEx", Direction::kBackwardWeight, true},
    {"", "cudnnGetConvolutionBackwardFilterAlgorithm_v7", Direction::kBackwardWeight, true}};

/// Whether a function before version 8 computes, by its name.
bool Computes(std::string_view function) {
  for (const char* const other : {"cudnnGet", "cudnnFind", "cudnnCreate", "cudnnSet"}) {
    if (function.starts_with(other)) return false;
  }
  return absl::StrContains(function, "Forward") || absl::StrContains(function, "Backward") ||
         function == "cudnnFusedOpsExecute";
}

const Convolution* FindConvolution(std::string_view name, std::string_view Convolution::* member) {
  const auto* const found = std::ranges::find(kConvolutions, name, member);
  return found == std::end(kConvolutions) ? nullptr : found;
}

/// The arguments of a call or an operation: "xDesc.dimA" is the value of dimA in xDesc, wherever
/// that is. Where a name comes twice, the first counts.
using Arguments = std::map<std::string, std::string>;

std::string_view Find(const Arguments& arguments, const std::string& name) {
  const auto found = arguments.find(name);
  return found == arguments.end() ? std::string_view() : std::string_view(found->second);
}

/// "[4,64,28,28]", or a number.
absl::StatusOr<Numbers> ReadList(const Arguments& arguments, const std::string& name,
                                 std::int64_t most = kMaxImportedNumber) {
  std::string_view text = Find(arguments, name);
  if (!absl::ConsumePrefix(&text, "[") || !absl::ConsumeSuffix(&text, "]") || text.empty()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s is '%s'; must be a list of numbers", name, Find(arguments, name)));
  }
  return ReadImportedNumbers(name, text, ',', most);
}

/// The strides of filters before version 8, which have a format instead.
Numbers StridesOf(const Numbers& sizes, bool channels_last) {
  Numbers strides(sizes.size());
  double size = 1;  // products of wrong sizes are large
  const auto set = [&](std::size_t axis) {
    strides[axis] = size < 1e18 ? static_cast<std::int64_t>(size) : 0;
    size *= static_cast<double>(sizes[axis]);
  };
  if (channels_last) set(1);
  for (std::size_t axis = sizes.size(); axis-- > 0;) {
    if (axis != 1 || !channels_last) set(axis);
  }
  return strides;
}

/// The tensor that has one of the names.
absl::StatusOr<LogicalTensor> ReadTensor(const Arguments& arguments,
                                         const std::vector<std::string>& names) {
  const auto name = std::ranges::find_if(
      names, [&](const std::string& each) { return arguments.contains(each + ".dimA"); });
  if (name == names.end()) {
    return absl::InvalidArgumentError(absl::StrFormat("the call has no %s", names.front()));
  }
  absl::StatusOr<Numbers> sizes = ReadList(arguments, *name + ".dimA");
  if (!sizes.ok()) return sizes.status();
  std::string_view type = Find(arguments, *name + ".type");
  if (type.empty()) type = Find(arguments, *name + ".dataType");
  absl::ConsumePrefix(&type, "CUDNN_DATA_");
  LogicalTensor tensor = {.type = std::string(type), .sizes = *std::move(sizes)};
  if (const std::string_view format = Find(arguments, *name + ".format"); !format.empty()) {
    if (tensor.sizes.size() > 1)
      tensor.strides = StridesOf(tensor.sizes, format != "CUDNN_TENSOR_NCHW");
    return tensor;
  }
  absl::StatusOr<Numbers> strides = ReadList(arguments, *name + ".strideA", kMaxImportedStride);
  if (!strides.ok()) return strides.status();
  tensor.strides = *std::move(strides);
  return tensor;
}

ImportedLine ReadConvolution(const Arguments& arguments, const Convolution& kind, bool is_search) {
  TensorConvolution convolution = {.directions = {kind.direction}};
  std::pair<std::vector<std::string>, LogicalTensor*> tensors[] = {
      {{"xDesc", "dxDesc", "srcDesc"}, &convolution.x},
      {{"wDesc", "dwDesc", "filterDesc"}, &convolution.w},
      {{"yDesc", "dyDesc", "destDesc", "diffDesc"}, &convolution.y}};
  // What backward functions that get an algorithm compute.
  if (kind.direction != Direction::kForward) {
    tensors[kind.direction == Direction::kBackwardData ? 0 : 1].first.push_back("gradDesc");
  }
  for (const auto& [names, tensor] : tensors) {
    absl::StatusOr<LogicalTensor> read = ReadTensor(arguments, names);
    if (!read.ok()) return read.status();
    *tensor = *std::move(read);
  }
  const std::string_view mode = Find(arguments, "convDesc.mode");
  if (mode != "CUDNN_CROSS_CORRELATION") {
    return absl::UnimplementedError(
        absl::StrFormat("mode is '%s'; Gridwise has CUDNN_CROSS_CORRELATION", mode));
  }
  // cuDNN prints the padding at the end before that at the beginning. Functions have one for both.
  const bool is_function = kind.operation.empty() || arguments.contains("convDesc.padA");
  const std::pair<std::string, Numbers*> kNumbers[] = {
      {"strideA", &convolution.stride},
      {"dilationA", &convolution.dilation},
      {is_function ? "padA" : "lowerPadA", &convolution.pad_begin},
      {is_function ? "padA" : "upperPadA", &convolution.pad_end}};
  for (const auto& [name, numbers] : kNumbers) {
    absl::StatusOr<Numbers> read = ReadList(arguments, "convDesc." + name);
    if (!read.ok()) return read.status();
    *numbers = *std::move(read);
  }
  convolution.groups = GroupsOf(convolution.x, convolution.w);
  absl::StatusOr<ImportedItem> item = ReadTensorConvolution(convolution, kKind);
  if (!item.ok()) return item.status();
  item->is_search = is_search;
  return *std::move(item);
}

/// Puts the lines of a call together.
class Calls {
 public:
  ImportedLine Read(std::string_view line) {
    if (line.size() > 2 && line[1] == '!' && line[2] == ' ') {
      if (line[0] != 'I' && line[0] != 'i') return std::nullopt;  // warnings and errors
      line.remove_prefix(3);
    }
    if (line == kEndOfText || (absl::StrContains(line, "uDNN (v") && IsFirst(line))) {
      const ImportedLine before = TakeOperation();
      Begin(line);
      if (before.ok() && (!before->has_value() || (*before)->problems.empty())) return std::nullopt;
      return absl::InvalidArgumentError(
          "the call of a convolution before it has no line 'Time:', and may be cut");
    }
    if (function_.empty()) return std::nullopt;
    if (!line.starts_with("Time:")) return AddArgument(line);
    ImportedLine read = TakeOperation();
    function_.clear();
    return read;
  }

 private:
  static constexpr std::string_view kFinalize = "cudnnBackendFinalize",
                                    kExecute = "cudnnBackendExecute";
  static constexpr std::string_view kBefore = " function ", kAfter = "() called:";

  /// Whether `line` is the first line of a call.
  static bool IsFirst(std::string_view line) {
    const std::size_t before = line.find(kBefore), after = line.find(kAfter);
    return before != line.npos && after != line.npos && after >= before + kBefore.size();
  }

  /// Begins the call whose first line is `line`. Most are none that count.
  void Begin(std::string_view line) {
    function_.clear();
    operation_.clear();
    arguments_.clear();
    parents_.clear();
    if (!IsFirst(line)) return;
    const std::size_t begin = line.find(kBefore) + kBefore.size();
    const std::string_view name = line.substr(begin, line.find(kAfter) - begin);
    const bool counts = name == kFinalize || name == kExecute || Computes(name) ||
                        FindConvolution(name, &Convolution::function) != nullptr;
    if (counts) function_ = name;
  }

  /// "    xDesc: type=CUDNN_BACKEND_TENSOR_DESCRIPTOR:", "    dimA: type=int; val=[4,64];". Returns
  /// the operation that ends where another one begins.
  ImportedLine AddArgument(std::string_view line) {
    const std::size_t indent = line.find_first_not_of(' '), colon = line.find(": ");
    if (indent == line.npos || colon == line.npos || colon < indent) return std::nullopt;
    const std::string_view name = line.substr(indent, colon - indent);
    std::string_view value = line.substr(colon + 2);
    if (const std::size_t begin = value.find("val="); begin != value.npos) {
      value = absl::StripSuffix(value.substr(begin + 4), ";");
      // An enumerator, with its number: "CUDNN_DATA_HALF (2)".
      value = value.substr(0, value.find(" ("));
    }
    if (name == (function_ == kExecute ? "operation" : "descriptor")) return BeginOperation(value);
    while (!parents_.empty() && parents_.back().first >= indent) parents_.pop_back();
    arguments_.emplace(
        parents_.empty() ? std::string(name) : absl::StrCat(parents_.back().second, ".", name),
        value);
    parents_.emplace_back(indent, name);
    return std::nullopt;
  }

  /// `type`: "type=CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:".
  ImportedLine BeginOperation(std::string_view type) {
    ImportedLine before = TakeOperation();
    if (absl::ConsumePrefix(&type, "type=CUDNN_BACKEND_OPERATION_")) {
      operation_ = absl::StripSuffix(type, "_DESCRIPTOR:");
    } else {
      function_.clear();  // it finalizes something else
    }
    return before;
  }

  /// What the lines since the operation began say.
  ImportedLine TakeOperation() {
    const Arguments arguments = std::exchange(arguments_, {});
    const std::string operation = std::exchange(operation_, {});
    const bool of_graph = function_ == kFinalize || function_ == kExecute;
    if (of_graph ? operation.empty() : arguments.contains("status")) return std::nullopt;
    const Convolution* const kind = of_graph ? FindConvolution(operation, &Convolution::operation)
                                             : FindConvolution(function_, &Convolution::function);
    if (kind == nullptr) {
      if (function_ == kExecute) return std::nullopt;  // it was skipped when it was finalized
      return ImportedItem::Skip(kKind, of_graph ? operation : function_);
    }
    return ReadConvolution(arguments, *kind, kind->is_search || function_ == kFinalize);
  }

  std::string function_;   // empty: none that counts
  std::string operation_;  // "CONVOLUTION_FORWARD"
  Arguments arguments_;
  std::vector<std::pair<std::size_t, std::string>> parents_;  // by their indents
};

}  // namespace

LineReader CudnnLogReader() {
  return [calls = Calls()](std::string_view line) mutable { return calls.Read(line); };
}

}  // namespace gridwise
