// SPDX-License-Identifier: MIT
#include "tools/gridwise/import/onnx_nodes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/base/types.h"
#include "core/conv/problem.h"

namespace gridwise {
namespace {

constexpr char kKind[] = "nodes of ONNX";

using Numbers = std::vector<std::int64_t>;

/// A node and its attributes.
class Node {
 public:
  explicit Node(const llvm::json::Object& node)
      : node_(node), attributes_(node.getObject("attributes")) {}

  std::string_view op() const { return node_.getString("op").value_or(""); }
  std::string_view Type(llvm::StringRef list, std::size_t index) const {
    const llvm::json::Object* const tensor = Tensor(list, index);
    return tensor == nullptr ? "" : std::string_view(tensor->getString("type").value_or(""));
  }
  Numbers Sizes(llvm::StringRef list, std::size_t index) const {
    const llvm::json::Object* const tensor = Tensor(list, index);
    return tensor == nullptr ? Numbers() : ReadNumbers(tensor->getArray("sizes"));
  }
  std::string_view Text(llvm::StringRef name) const {
    return attributes_ == nullptr ? ""
                                  : std::string_view(attributes_->getString(name).value_or(""));
  }
  std::int64_t Number(llvm::StringRef name, std::int64_t otherwise) const {
    return attributes_ == nullptr ? otherwise : attributes_->getInteger(name).value_or(otherwise);
  }
  /// One number for each axis, or `count` copies of `otherwise` if there is no such attribute.
  absl::StatusOr<Numbers> List(llvm::StringRef name, std::size_t count,
                               std::int64_t otherwise) const {
    const llvm::json::Array* const list =
        attributes_ == nullptr ? nullptr : attributes_->getArray(name);
    if (list == nullptr || list->empty()) return Numbers(count, otherwise);
    Numbers numbers = ReadNumbers(list);
    if (numbers.size() == count && std::ranges::all_of(numbers, IsInRange)) return numbers;
    return absl::InvalidArgumentError(
        absl::StrFormat("%s is %s; must be %d numbers of at most %d", std::string_view(name),
                        absl::StrJoin(numbers, ", "), count, kMaxImportedNumber));
  }
  static bool IsInRange(std::int64_t number) {
    return number >= -kMaxImportedNumber && number <= kMaxImportedNumber;
  }

 private:
  const llvm::json::Object* Tensor(llvm::StringRef list, std::size_t index) const {
    const llvm::json::Array* const tensors = node_.getArray(list);
    return tensors == nullptr || index >= tensors->size() ? nullptr
                                                          : (*tensors)[index].getAsObject();
  }
  static Numbers ReadNumbers(const llvm::json::Array* list) {
    Numbers numbers;
    if (list == nullptr) return numbers;
    for (const llvm::json::Value& value : *list) {
      numbers.push_back(value.getAsInteger().value_or(-1));
    }
    return numbers;
  }

  const llvm::json::Object& node_;
  const llvm::json::Object* attributes_;
};

/// What an operator computes.
struct Operator {
  std::string_view name;
  bool transposed = false;
  std::size_t weights = 1;  // the index of W in the inputs
  const char* note = "";
};
constexpr Operator kOperators[] = {
    {"Conv"},
    {"FusedConv", false, 1, ", its activation is left out"},
    {"ConvTranspose", true},
    {"ConvInteger", false, 1, ", its zero points are left out"},
    // A scale and a zero point follow each tensor.
    {"QLinearConv", false, 3, ", its zero points and scales are left out, its output is i32 here"}};

/// The sizes of a tensor that must be known.
absl::StatusOr<Numbers> KnownSizes(const Node& node, std::string_view what, std::size_t index) {
  Numbers sizes = node.Sizes("inputs", index);
  const bool known = std::ranges::all_of(
      sizes, [](std::int64_t size) { return size >= 0 && Node::IsInRange(size); });
  if (known && sizes.size() >= 3 && sizes.size() <= 5) return sizes;
  if (known && !sizes.empty()) {
    return absl::UnimplementedError(
        absl::StrFormat("%s has %d dimensions; Gridwise has 3 to 5", what, sizes.size()));
  }
  return absl::InvalidArgumentError(absl::StrFormat(
      "the sizes of %s are %s; they must be numbers: give the model's inputs fixed sizes", what,
      sizes.empty() ? std::string("unknown")
                    : absl::StrJoin(sizes, "x", [](std::string* out, std::int64_t size) {
                        absl::StrAppend(out, size < 0 ? "?" : absl::StrCat(size));
                      })));
}

absl::Status SetType(const Node& node, const Operator& op, ConvProblem& problem,
                     std::string& note) {
  constexpr std::pair<std::string_view, DataType> kTypes[] = {{"float", DataType::kF32},
                                                              {"float16", DataType::kF16},
                                                              {"bfloat16", DataType::kBF16},
                                                              {"int8", DataType::kI8},
                                                              {"uint8", DataType::kI8}};
  const std::string_view x = node.Type("inputs", 0), w = node.Type("inputs", op.weights);
  if (x == "uint8" || w == "uint8") {
    absl::StrAppend(&note, ", its operands are unsigned");
  }
  for (const auto& [name, type] : kTypes) {
    if (name != x) continue;
    problem.type = type;
    return absl::OkStatus();
  }
  return absl::UnimplementedError(absl::StrFormat(
      "the type is %s; Gridwise has float, float16, bfloat16 and int8", x.empty() ? "unknown" : x));
}

/// Padding of an axis at both ends.
struct Ends {
  std::int64_t begin = 0, end = 0;
};
/// `total` zeros; the odd one is at the end, or at the beginning.
Ends Divided(std::int64_t total, bool odd_at_end) {
  const std::int64_t less = total / 2;
  return odd_at_end ? Ends{less, total - less} : Ends{total - less, less};
}

/// The padding of each axis. For a transposed convolution, `dims` have the sizes of dx already
/// where output_shape gives them; `dy` are the sizes of its input.
absl::StatusOr<std::vector<Ends>> ReadPadding(const Node& node, const std::vector<Dim*>& dims,
                                              const Numbers& dy, const Numbers& output_padding,
                                              bool has_output_shape) {
  const std::string_view mode = node.Text("auto_pad");
  const bool same = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  if (!mode.empty() && mode != "NOTSET" && mode != "VALID" && !same) {
    return absl::InvalidArgumentError(
        absl::StrFormat("auto_pad is %s; must be NOTSET, SAME_UPPER, SAME_LOWER or VALID", mode));
  }
  const absl::StatusOr<Numbers> pads = node.List("pads", 2 * dims.size(), 0);
  if (!pads.ok()) return pads.status();
  std::vector<Ends> padding;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const Dim& dim = *dims[i];
    if (dim.stride < 1) {
      return absl::InvalidArgumentError(
          absl::StrFormat("a stride is %d; must be >= 1", dim.stride));
    }
    if (has_output_shape) {
      const std::int64_t total =
          (dy[i] - 1) * dim.stride + output_padding[i] + dim.dilated_filter() - dim.in;
      padding.push_back(Divided(std::max<std::int64_t>(total, 0), mode == "SAME_UPPER"));
    } else if (same && !dy.empty()) {
      padding.push_back(Divided(std::max<std::int64_t>(dim.dilated_filter() - dim.stride, 0),
                                mode == "SAME_UPPER"));
    } else if (same) {
      const std::int64_t rest = dim.in % dim.stride;
      const std::int64_t covered = rest == 0 ? dim.stride : rest;
      padding.push_back(
          Divided(std::max<std::int64_t>(dim.dilated_filter() - covered, 0), mode == "SAME_UPPER"));
    } else if (mode == "VALID") {
      padding.push_back({});
    } else {
      padding.push_back({(*pads)[i], (*pads)[i + dims.size()]});
    }
  }
  return padding;
}

/// Strides, dilations and filters of the axes.
absl::Status SetAxes(const Node& node, const Numbers& w, const std::vector<Dim*>& dims) {
  const absl::StatusOr<Numbers> strides = node.List("strides", dims.size(), 1);
  if (!strides.ok()) return strides.status();
  const absl::StatusOr<Numbers> dilations = node.List("dilations", dims.size(), 1);
  if (!dilations.ok()) return dilations.status();
  for (std::size_t i = 0; i < dims.size(); ++i) {
    dims[i]->filter = w[2 + i];
    dims[i]->stride = (*strides)[i];
    dims[i]->dilation = (*dilations)[i];
  }
  return absl::OkStatus();
}

void SetPadding(const std::vector<Ends>& padding, const std::vector<Dim*>& dims) {
  for (std::size_t i = 0; i < dims.size(); ++i) {
    dims[i]->pad_begin = padding[i].begin;
    dims[i]->pad_end = padding[i].end;
  }
}

absl::Status SetForward(const Node& node, const Numbers& x, const std::vector<Dim*>& dims) {
  for (std::size_t i = 0; i < dims.size(); ++i) dims[i]->in = x[2 + i];
  const absl::StatusOr<std::vector<Ends>> padding =
      ReadPadding(node, dims, /*dy=*/{}, /*output_padding=*/{}, /*has_output_shape=*/false);
  if (padding.ok()) SetPadding(*padding, dims);
  return padding.status();
}

absl::Status SetTransposed(const Node& node, const Numbers& dy, const std::vector<Dim*>& dims) {
  const absl::StatusOr<Numbers> added = node.List("output_padding", dims.size(), 0);
  if (!added.ok()) return added.status();
  absl::StatusOr<Numbers> shape = node.List("output_shape", dims.size(), 0);
  if (!shape.ok()) return shape.status();
  const bool has_shape = shape->front() > 0;
  for (std::size_t i = 0; i < dims.size(); ++i) dims[i]->in = (*shape)[i];
  const absl::StatusOr<std::vector<Ends>> padding = ReadPadding(node, dims, dy, *added, has_shape);
  if (!padding.ok()) return padding.status();
  SetPadding(*padding, dims);
  const std::string_view mode = node.Text("auto_pad");
  for (std::size_t i = 0; i < dims.size() && !has_shape; ++i) {
    Dim& dim = *dims[i];
    dim.in = mode.substr(0, 4) == "SAME" ? dy[i] * dim.stride
                                         : (dy[i] - 1) * dim.stride + (*added)[i] +
                                               dim.dilated_filter() - dim.pad_begin - dim.pad_end;
  }
  return absl::OkStatus();
}

/// Checks the sizes of y, or of dx, where the model has them.
absl::Status CheckSizes(const Node& node, const ConvProblem& problem, const Numbers& dy) {
  if (!dy.empty()) {
    if (absl::Status status = CheckOutput(problem, dy); !status.ok()) return status;
  }
  const Numbers sizes = node.Sizes("outputs", 0);
  if (sizes.size() != static_cast<std::size_t>(problem.rank) + 2 ||
      std::ranges::any_of(sizes, [](std::int64_t size) { return size < 0; })) {
    return absl::OkStatus();
  }
  const Numbers axes(sizes.begin() + 2, sizes.end());
  if (dy.empty()) return CheckOutput(problem, axes);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Dim& dim = problem.dims[3 - axes.size() + i];
    if (dim.in == axes[i]) continue;
    return absl::InvalidArgumentError(
        absl::StrFormat("the output's size is %d; these attributes make %d", axes[i], dim.in));
  }
  return absl::OkStatus();
}

absl::StatusOr<ImportedItem> MakeItem(const Node& node, const Operator& op) {
  const absl::StatusOr<Numbers> x = KnownSizes(node, "its input", 0);
  if (!x.ok()) return x.status();
  const absl::StatusOr<Numbers> w = KnownSizes(node, "its weights", op.weights);
  if (!w.ok()) return w.status();
  if (x->size() != w->size()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("its input has %d dimensions and its weights %d", x->size(), w->size()));
  }
  const std::int64_t groups = node.Number("group", 1);
  if (groups < 1 || !Node::IsInRange(groups)) {
    return absl::InvalidArgumentError(absl::StrFormat("group is %d; must be >= 1", groups));
  }
  const std::int64_t w1 = (*w)[1] * groups;
  ImportedItem item = {.kind = kKind, .note = absl::StrCat(kWeightsDiffer, op.note)};
  ConvProblem problem = {
      .direction = op.transposed ? Direction::kBackwardData : Direction::kForward,
      .rank = static_cast<int>(x->size()) - 2,
      .groups = groups,
      .batch = (*x)[0],
      .c = op.transposed ? w1 : (*x)[1],
      .k = (*w)[0],
      .layout = Layout::kNGCHW};
  if ((op.transposed ? (*w)[0] : w1) != (*x)[1]) {
    return absl::InvalidArgumentError(
        absl::StrFormat("its input has %d channels and its weights %s in %d groups", (*x)[1],
                        absl::StrJoin(*w, "x"), groups));
  }
  if (absl::Status status = SetType(node, op, problem, item.note); !status.ok()) return status;
  const std::vector<Dim*> dims = AxesOf(problem);
  const Numbers axes(x->begin() + 2, x->end());
  absl::Status status = SetAxes(node, *w, dims);
  if (status.ok()) {
    status = op.transposed ? SetTransposed(node, axes, dims) : SetForward(node, *x, dims);
  }
  if (status.ok()) status = CheckSizes(node, problem, op.transposed ? axes : Numbers());
  if (!status.ok()) return status;
  item.problems = {problem};
  return item;
}

}  // namespace

void ForEachNode(const llvm::json::Value& model,
                 const std::function<void(const std::string& name, ImportedLine)>& visit) {
  const llvm::json::Object* const object = model.getAsObject();
  const llvm::json::Array* const nodes =
      object == nullptr ? nullptr : object->getArray("onnx_nodes");
  if (nodes == nullptr) return;
  for (const llvm::json::Value& value : *nodes) {
    if (value.getAsObject() == nullptr) continue;
    const Node node(*value.getAsObject());
    const std::string name(value.getAsObject()->getString("name").value_or(""));
    const auto op = std::ranges::find(kOperators, node.op(), &Operator::name);
    if (op == std::end(kOperators)) {
      visit(name, ImportedItem::Skip(kKind, node.op()));
      continue;
    }
    absl::StatusOr<ImportedItem> item = MakeItem(node, *op);
    if (item.ok()) item->name = name;
    visit(name, std::move(item));
  }
}

}  // namespace gridwise
