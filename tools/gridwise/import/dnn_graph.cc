// SPDX-License-Identifier: MIT
#include "tools/gridwise/import/dnn_graph.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/conv/problem.h"
#include "tools/gridwise/import/tensor_convolution.h"

namespace gridwise {
namespace {

constexpr char kKind[] = "nodes of cuDNN and hipDNN graphs";

using Numbers = std::vector<std::int64_t>;

/// A kind of node: its name in either library, and where x, the weights and y are.
struct Node {
  llvm::StringRef cudnn, hipdnn;
  Direction direction;
  bool x_is_output = false, w_is_output = false;
};
constexpr Node kNodes[] = {
    {"CONV_FPROP", "ConvolutionFwdAttributes", Direction::kForward},
    {"CONV_DGRAD", "ConvolutionBwdAttributes", Direction::kBackwardData, true, false},
    {"CONV_WGRAD", "ConvolutionWrwAttributes", Direction::kBackwardWeight, false, true}};

/// A tensor's name in the lists of a node: of cuDNN "DX", of hipDNN "dx_tensor_uid".
std::string KeyOf(std::string_view tensor, bool hipdnn) {
  return hipdnn ? absl::StrCat(tensor, "_tensor_uid") : absl::AsciiStrToUpper(tensor);
}

Numbers ReadNumbers(const llvm::json::Array* list) {
  Numbers numbers;
  if (list == nullptr) return numbers;
  for (const llvm::json::Value& value : *list) numbers.push_back(value.getAsInteger().value_or(-1));
  return numbers;
}

/// A reference to a tensor as text: a number, or a name.
std::string ReferenceOf(const llvm::json::Value& value) {
  if (const std::optional<std::int64_t> number = value.getAsInteger()) return absl::StrCat(*number);
  return value.getAsString().value_or("").str();
}

/// The tensors of a graph by number and name.
using Tensors = std::map<std::string, LogicalTensor>;

LogicalTensor ReadShape(const llvm::json::Object& object, llvm::StringRef otherwise) {
  const bool cudnn = object.getArray("dim") != nullptr;
  return {.type = object.getString("data_type").value_or(otherwise).str(),
          .sizes = ReadNumbers(object.getArray(cudnn ? "dim" : "dims")),
          .strides = ReadNumbers(object.getArray(cudnn ? "stride" : "strides"))};
}

void AddTensor(const llvm::json::Object& object, const LogicalTensor& shape, Tensors& tensors) {
  if (const std::optional<std::int64_t> uid = object.getInteger("uid")) {
    tensors[absl::StrCat(*uid)] = shape;
  }
  if (const auto name = object.getString("name")) tensors.emplace(name->str(), shape);
}

Tensors ReadTensors(const llvm::json::Object& graph) {
  Tensors tensors;
  llvm::StringRef type;
  if (const llvm::json::Object* const context = graph.getObject("context")) {
    type = context->getString("io_data_type").value_or("");
  }
  if (const llvm::json::Array* const list = graph.getArray("tensors")) {
    for (const llvm::json::Value& value : *list) {
      const llvm::json::Object* const object = value.getAsObject();
      if (object != nullptr) AddTensor(*object, ReadShape(*object, type), tensors);
    }
  }
  if (const llvm::json::Object* const by_name = graph.getObject("tensors")) {
    for (const auto& [key, value] : *by_name) {
      const llvm::json::Object* const object = value.getAsObject();
      if (object == nullptr) continue;
      const LogicalTensor shape = ReadShape(*object, type);
      AddTensor(*object, shape, tensors);
      tensors.emplace(llvm::StringRef(key).str(), shape);
    }
  }
  return tensors;
}

/// The tensor that is called `what` in the node.
absl::StatusOr<LogicalTensor> FindTensor(const llvm::json::Object& node, llvm::StringRef list,
                                         const std::string& what, const Tensors& tensors) {
  const llvm::json::Object* const references = node.getObject(list);
  const llvm::json::Value* const reference =
      references == nullptr ? nullptr : references->get(what);
  if (reference == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the node has no %s in its %s", what, std::string_view(list)));
  }
  const auto found = tensors.find(ReferenceOf(*reference));
  if (found != tensors.end()) return found->second;
  return absl::InvalidArgumentError(
      absl::StrFormat("%s is '%s', which is none of the tensors", what, ReferenceOf(*reference)));
}

ImportedLine ReadNode(const llvm::json::Object& node, const Node& kind, bool hipdnn,
                      const Tensors& tensors) {
  const llvm::json::Object* const given = node.getObject("parameters");
  const llvm::json::Object& numbers = given == nullptr ? node : *given;
  const llvm::StringRef mode =
      numbers.getString(hipdnn ? "conv_mode" : "math_mode").value_or("CROSS_CORRELATION");
  if (mode != "CROSS_CORRELATION") {
    return absl::UnimplementedError(absl::StrFormat("%s is %s; Gridwise has CROSS_CORRELATION",
                                                    hipdnn ? "conv_mode" : "math_mode",
                                                    std::string_view(mode)));
  }
  TensorConvolution convolution = {.directions = {kind.direction}};
  const bool forward = kind.direction == Direction::kForward;
  const std::tuple<std::string_view, bool, LogicalTensor*> kTensors[] = {
      {kind.x_is_output ? "dx" : "x", kind.x_is_output, &convolution.x},
      {kind.w_is_output ? "dw" : "w", kind.w_is_output, &convolution.w},
      {forward ? "y" : "dy", forward, &convolution.y}};
  for (const auto& [name, is_output, tensor] : kTensors) {
    absl::StatusOr<LogicalTensor> shape =
        FindTensor(node, is_output ? "outputs" : "inputs", KeyOf(name, hipdnn), tensors);
    if (!shape.ok()) return shape.status();
    *tensor = *std::move(shape);
  }
  if (convolution.x.type.empty()) convolution.x.type = convolution.y.type;
  const std::pair<llvm::StringRef, Numbers*> kNumbers[] = {{"stride", &convolution.stride},
                                                           {"dilation", &convolution.dilation},
                                                           {"pre_padding", &convolution.pad_begin},
                                                           {"post_padding", &convolution.pad_end}};
  for (const auto& [name, place] : kNumbers) *place = ReadNumbers(numbers.getArray(name));
  const Numbers &x = convolution.x.sizes, &w = convolution.w.sizes;
  if (x.size() < 2 || w.size() < 2) {
    return absl::InvalidArgumentError("the sizes of x or of the weights are not given");
  }
  convolution.groups = GroupsOf(convolution.x, convolution.w);
  return ReadTensorConvolution(convolution, kKind);
}

}  // namespace

bool IsDnnGraph(const llvm::json::Value& document) {
  const llvm::json::Object* const graph = document.getAsObject();
  const llvm::json::Array* const nodes = graph == nullptr ? nullptr : graph->getArray("nodes");
  return nodes != nullptr && graph->get("tensors") != nullptr &&
         std::ranges::any_of(*nodes, [](const llvm::json::Value& node) {
           const llvm::json::Object* const object = node.getAsObject();
           return object != nullptr && (object->getString("tag") || object->getString("type"));
         });
}

void ForEachDnnNode(const llvm::json::Value& graph,
                    const std::function<void(const std::string& name, ImportedLine)>& visit) {
  if (!IsDnnGraph(graph)) return;
  const llvm::json::Object& object = *graph.getAsObject();
  const Tensors tensors = ReadTensors(object);
  for (const llvm::json::Value& value : *object.getArray("nodes")) {
    const llvm::json::Object* const node = value.getAsObject();
    if (node == nullptr) continue;
    const auto tag = node->getString("tag");
    const llvm::StringRef word = tag ? *tag : node->getString("type").value_or("");
    const std::string name = node->getString("name").value_or("").str();
    const auto kind = std::ranges::find(kNodes, word, tag ? &Node::cudnn : &Node::hipdnn);
    if (kind == std::end(kNodes)) {
      visit(name, ImportedItem::Skip(kKind, word));
      continue;
    }
    visit(name, ReadNode(*node, *kind, /*hipdnn=*/!tag, tensors));
  }
}

void ForEachDnnGraph(std::string_view log,
                     const std::function<void(int line, std::string_view text)>& visit) {
  int number = 1, first = 1, depth = 0;
  std::size_t begin = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < log.size(); ++i) {
    const char c = log[i];
    if (c == '\n') ++number;
    // Objects in an object are indented: one at the beginning of a line ends what was no JSON.
    if (c == '{' && (i == 0 || log[i - 1] == '\n')) depth = 0;
    if (in_text) {
      if (c == '\\' && i + 1 < log.size() && log[i + 1] != '\n') ++i;
      // A string ends on its line: what is no JSON swallows no more than that.
      if (c == '"' || c == '\n') in_text = false;
    } else if (c == '"') {
      in_text = depth > 0;
    } else if (c == '{') {
      if (depth++ > 0) continue;
      begin = i;
      first = number;
    } else if (c == '}' && depth > 0) {
      if (--depth > 0) continue;
      const std::string_view text = log.substr(begin, i + 1 - begin);
      if (absl::StrContains(text, "\"nodes\"") && absl::StrContains(text, "\"tensors\"")) {
        visit(first, text);
      }
    }
  }
}

}  // namespace gridwise
