// SPDX-License-Identifier: MIT
#include "gridwise/hipdnn/conv_graph.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/base/types.h"
#include "core/base/unary.h"
#include "core/conv/epilogue.h"
#include "core/conv/strides.h"
#include "core/conv/validate.h"

namespace gridwise::hipdnn {
namespace {

using Node = GraphConvolution::Direction;  // of the convolution node
using Sizes = std::vector<std::int64_t>;

/// More than any chain that is an epilogue has, but for identities.
constexpr std::size_t kMaxNodes = 64;

constexpr std::int64_t kMaxSize = std::numeric_limits<std::int32_t>::max();

/// Saturates: no tensor has such a stride.
std::int64_t Product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::int64_t>::max()
                                                : product;
}

std::optional<DataType> TypeOf(GraphType type) {
  switch (type) {
    case GraphType::kFloat:
      return DataType::kF32;
    case GraphType::kHalf:
      return DataType::kF16;
    case GraphType::kBFloat16:
      return DataType::kBF16;
    case GraphType::kInt32:
      return DataType::kI32;
    case GraphType::kInt8:
      return DataType::kI8;
    case GraphType::kFp8E4M3:
      return DataType::kF8E4M3;
    case GraphType::kFp8E5M2:
      return DataType::kF8E5M2;
    case GraphType::kFp8E4M3Fnuz:
      return DataType::kF8E4M3Fnuz;
    case GraphType::kFp8E5M2Fnuz:
      return DataType::kF8E5M2Fnuz;
    case GraphType::kUnset:
      break;
  }
  return std::nullopt;
}

std::string NameOf(const GraphTensor& tensor) {
  return tensor.name.empty() ? absl::StrCat("tensor ", tensor.uid)
                             : absl::StrCat("tensor ", tensor.uid, " (", tensor.name, ")");
}
std::string NameOf(const GraphNode& node, std::size_t index) {
  return node.name.empty() ? absl::StrCat("node ", index)
                           : absl::StrCat("node ", index, " (", node.name, ")");
}

template <class... Args>
absl::Status Invalid(const absl::FormatSpec<Args...>& format, const Args&... args) {
  return absl::InvalidArgumentError(absl::StrFormat(format, args...));
}
template <class... Args>
absl::Status Unsupported(const absl::FormatSpec<Args...>& format, const Args&... args) {
  return absl::UnimplementedError(absl::StrFormat(format, args...));
}

/// OK for a tensor in memory that kernels can address.
absl::Status CheckTensor(const GraphTensor& tensor, std::size_t rank) {
  const std::string name = NameOf(tensor);
  if (tensor.is_virtual) return Unsupported("%s is virtual; must be in memory", name);
  if (tensor.is_scalar) return Unsupported("%s is passed by value; must be in memory", name);
  if (tensor.is_ragged) return Unsupported("%s is ragged; must not be", name);
  const std::optional<DataType> type = TypeOf(tensor.type);
  if (!type) return Unsupported("%s has data type %d, which no kernel has", name, int(tensor.type));
  if (tensor.dims.size() != rank || tensor.strides.size() != rank) {
    return Invalid("%s has %d dims and %d strides; must have %d", name, tensor.dims.size(),
                   tensor.strides.size(), rank);
  }
  for (const std::int64_t size : tensor.dims) {
    if (size < 1 || size > kMaxSize) {
      return Invalid("%s has dims [%s]; each must be 1 to %d", name,
                     absl::StrJoin(tensor.dims, ", "), kMaxSize);
    }
  }
  if (tensor.alignment < SizeOf(*type)) {
    return Unsupported("%s has alignment %d; must be at least its elements' size, %d", name,
                       tensor.alignment, SizeOf(*type));
  }
  return absl::OkStatus();
}

/// The strides of the spatial axes d, h and w; 0 of those that there are not.
std::array<std::int64_t, 3> SpatialStrides(const Sizes& strides) {
  std::array<std::int64_t, 3> spatial = {};
  std::copy_backward(strides.begin() + 2, strides.end(), spatial.end());
  return spatial;
}
/// Strides of x, y or an epilogue's tensor of their shape: n, d, h, w, g, channel of the group.
PerAxis ImageStrides(const Sizes& strides, std::int64_t channels_per_group) {
  const auto [d, h, w] = SpatialStrides(strides);
  return {strides[0], d, h, w, Product(strides[1], channels_per_group), strides[1]};
}
/// Strides of w: g, k of the group, z, y, x, channel of the group.
PerAxis WeightStrides(const Sizes& strides, std::int64_t k_per_group) {
  const auto [z, y, x] = SpatialStrides(strides);
  return {Product(strides[0], k_per_group), strides[0], z, y, x, strides[1]};
}

/// Whether a weight tensor is packed in the order of its logical axes: [k][c/g][taps].
bool IsPackedInOrder(const GraphTensor& tensor) {
  std::int64_t stride = 1;
  for (std::size_t i = tensor.dims.size(); i-- > 0;) {
    if (tensor.dims[i] != 1 && tensor.strides[i] != stride) return false;
    stride = Product(stride, tensor.dims[i]);
  }
  return true;
}

/// Lowers one graph. Each step adds to `result_`.
class Lowering {
 public:
  explicit Lowering(const Graph& graph) : graph_(graph) {}

  absl::StatusOr<ConvGraph> Run() {
    if (graph_.overrides_shapes) return Unsupported("the graph's sizes may change at each call");
    for (const auto step : {&Lowering::IndexTensors, &Lowering::FindConvolution,
                            &Lowering::FollowChain, &Lowering::CheckTensors, &Lowering::SetSizes,
                            &Lowering::SetEpilogue, &Lowering::SetLayoutsOfTensors}) {
      if (absl::Status status = (this->*step)(); !status.ok()) return status;
    }
    return result_;
  }

 private:
  /// A pointwise node of the chain after the convolution.
  struct Link {
    std::string name;
    const GraphPointwise* node;
    const GraphTensor* other;  ///< the operand that is not the chain's value; may be null
  };

  bool is(Node direction) const { return convolution_->direction == direction; }

  absl::StatusOr<const GraphTensor*> Find(std::int64_t uid) const {
    const auto found = tensors_.find(uid);
    if (found == tensors_.end())
      return Invalid("a node has tensor %d, which is not in the graph", uid);
    return found->second;
  }

  absl::Status IndexTensors() {
    for (const GraphTensor& tensor : graph_.tensors) {
      if (!tensors_.emplace(tensor.uid, &tensor).second) {
        return Invalid("two tensors have uid %d", tensor.uid);
      }
    }
    return absl::OkStatus();
  }

  /// The compute type of a node is f32; of i8, also i32; of pointwise nodes, whose values are
  /// never less exact than f32, also the operands'.
  absl::Status CheckComputeType(const GraphNode& node, const std::string& name,
                                std::initializer_list<GraphType> others) const {
    const GraphType type =
        node.compute_type == GraphType::kUnset ? graph_.compute_type : node.compute_type;
    if (type == GraphType::kFloat || std::find(others.begin(), others.end(), type) != others.end())
      return absl::OkStatus();
    return Unsupported("%s computes in data type %d; must be FLOAT", name, int(type));
  }

  absl::Status FindConvolution() {
    if (graph_.nodes.size() > kMaxNodes) {
      return Unsupported("the graph has %d nodes; at most %d are fused", graph_.nodes.size(),
                         kMaxNodes);
    }
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const GraphNode& node = graph_.nodes[i];
      const std::string name = NameOf(node, i);
      if (const auto* const other = std::get_if<GraphOther>(&node.attributes)) {
        return Unsupported("%s is no convolution or pointwise node; its attributes have number %d",
                           name, other->kind);
      }
      const auto* const convolution = std::get_if<GraphConvolution>(&node.attributes);
      if (convolution == nullptr) continue;
      if (convolution_ != nullptr) return Unsupported("%s is a second convolution", name);
      convolution_ = convolution;
      if (convolution->mode != ConvMode::kCrossCorrelation) {
        return Unsupported(
            "%s has mode %d; must be CROSS_CORRELATION, whose filter is not mirrored", name,
            int(convolution->mode));
      }
      const absl::StatusOr<const GraphTensor*> a = Find(convolution->a), b = Find(convolution->b);
      if (!a.ok()) return a.status();
      if (!b.ok()) return b.status();
      a_ = *a;
      b_ = *b;
      const bool is_i8 = a_->type == GraphType::kInt8;
      absl::Status status =
          CheckComputeType(node, name, {is_i8 ? GraphType::kInt32 : GraphType::kFloat});
      if (!status.ok()) return status;
    }
    if (convolution_ == nullptr) return Unsupported("the graph has no convolution");
    return absl::OkStatus();
  }

  /// The one pointwise node that reads `value`.
  absl::StatusOr<Link> FindReader(std::int64_t value) const {
    std::optional<Link> link;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const auto* const node = std::get_if<GraphPointwise>(&graph_.nodes[i].attributes);
      if (node == nullptr || (node->in_0 != value && node->in_1 != value)) continue;
      if (link) return Unsupported("tensor %d is read by two nodes", value);
      link = Link{.name = NameOf(graph_.nodes[i], i), .node = node, .other = nullptr};
      if (node->in_0 == node->in_1) {
        return Unsupported("%s combines tensor %d with itself", link->name, value);
      }
      absl::Status status =
          CheckComputeType(graph_.nodes[i], link->name, {GraphType::kHalf, GraphType::kBFloat16});
      if (!status.ok()) return status;
      const std::optional<std::int64_t> other =
          node->in_0 == value ? node->in_1 : std::optional(node->in_0);
      if (!other) continue;
      const absl::StatusOr<const GraphTensor*> found = Find(*other);
      if (!found.ok()) return found.status();
      link->other = *found;
    }
    if (link) return *std::move(link);
    return Unsupported("the graph has %d pointwise nodes, of which %d follow the convolution",
                       graph_.nodes.size() - 1, chain_.size());
  }

  /// Sets `chain_` to the pointwise nodes in their order, and `out_` to the last one's output.
  absl::Status FollowChain() {
    std::int64_t value = convolution_->out;
    while (chain_.size() + 1 < graph_.nodes.size()) {
      absl::StatusOr<Link> link = FindReader(value);
      if (!link.ok()) return link.status();
      const absl::StatusOr<const GraphTensor*> tensor = Find(value);
      if (!tensor.ok()) return tensor.status();
      if (!(*tensor)->is_virtual) {
        return Unsupported("%s is between two nodes and not virtual", NameOf(**tensor));
      }
      value = link->node->out;
      chain_.push_back(*std::move(link));
    }
    const absl::StatusOr<const GraphTensor*> out = Find(value);
    if (!out.ok()) return out.status();
    out_ = *out;
    return absl::OkStatus();
  }

  absl::Status CheckTensors();
  absl::Status SetSizes();
  absl::Status CheckSizes() const;
  absl::Status SetEpilogue();
  absl::Status AddTensor(const Link& link);
  absl::Status SetRelu(const Link& link);
  absl::Status SetUnary(const Link& link, Unary unary, std::optional<float> parameter);
  absl::Status SetLayoutsOfTensors();

  const Graph& graph_;
  absl::flat_hash_map<std::int64_t, const GraphTensor*> tensors_;
  const GraphConvolution* convolution_ = nullptr;
  const GraphTensor *a_ = nullptr, *b_ = nullptr, *out_ = nullptr;  // of the convolution node
  const GraphTensor *x_ = nullptr, *w_ = nullptr, *y_ = nullptr;    // or their gradients
  std::vector<Link> chain_;
  bool has_clips_ = false;
  ConvGraph result_;
};

/// Whether the tensors can be operands and output of one kernel. Sets x_, w_ and y_.
absl::Status Lowering::CheckTensors() {
  const std::size_t rank = a_->dims.size();
  if (rank < 3 || rank > 5)
    return Unsupported("%s has %d dims; must have 3 to 5", NameOf(*a_), rank);
  for (const GraphTensor* const tensor : {a_, b_, out_}) {
    if (absl::Status status = CheckTensor(*tensor, rank); !status.ok()) return status;
    // Strides that are all 0 would be strides that are not given (SetLayouts).
    for (std::size_t axis = 0; axis < rank; ++axis) {
      if (tensor->dims[axis] == 1 || tensor->strides[axis] != 0) continue;
      return Unsupported("%s has stride 0 along axis %d; must be packed", NameOf(*tensor), axis);
    }
  }
  if (out_ == a_ || out_ == b_) return Unsupported("%s is input and output", NameOf(*out_));
  const absl::StatusOr<const GraphTensor*> sums = Find(convolution_->out);
  if (!sums.ok()) return sums.status();
  if (!(*sums)->dims.empty() && (*sums)->dims != out_->dims) {
    return Unsupported("%s and %s have different dims", NameOf(**sums), NameOf(*out_));
  }
  if (a_->type != b_->type) {
    return Unsupported("%s and %s have different data types", NameOf(*a_), NameOf(*b_));
  }
  x_ = is(Node::kData) ? out_ : a_;
  w_ = is(Node::kWeight) ? out_ : b_;
  y_ = is(Node::kForward) ? out_ : is(Node::kData) ? a_ : b_;
  return absl::OkStatus();
}

absl::Status Lowering::SetSizes() {
  const std::size_t rank = a_->dims.size();
  const GraphConvolution& node = *convolution_;
  for (const Sizes* const sizes :
       {&node.pre_padding, &node.post_padding, &node.stride, &node.dilation}) {
    if (sizes->size() != rank - 2) {
      return Invalid(
          "the convolution has [%s] for paddings, stride or dilation; must be %d numbers",
          absl::StrJoin(*sizes, ", "), rank - 2);
    }
  }
  if (x_->dims[1] % w_->dims[1] != 0) {
    return Invalid("x has %d channels and w %d; must be a multiple", x_->dims[1], w_->dims[1]);
  }
  ConvProblem& problem = result_.problem;
  problem = {.direction = is(Node::kForward) ? Direction::kForward
                          : is(Node::kData)  ? Direction::kBackwardData
                                             : Direction::kBackwardWeight,
             .type = *TypeOf(a_->type),
             .out_type = TypeOf(out_->type),
             .rank = static_cast<int>(rank - 2),
             .groups = x_->dims[1] / w_->dims[1],
             .batch = x_->dims[0],
             .c = x_->dims[1],
             .k = w_->dims[0]};
  for (std::size_t i = 0; i < rank - 2; ++i) {
    problem.dims[5 - rank + i] = {.in = x_->dims[i + 2],
                                  .filter = w_->dims[i + 2],
                                  .stride = node.stride[i],
                                  .dilation = node.dilation[i],
                                  .pad_begin = node.pre_padding[i],
                                  .pad_end = node.post_padding[i]};
  }
  if (absl::Status status = Validate(problem); !status.ok()) return status;
  // The tensors as Tensors has them: backward-weight takes dy first.
  result_.a = is(Node::kWeight) ? b_->uid : a_->uid;
  result_.b = is(Node::kWeight) ? a_->uid : b_->uid;
  result_.out = out_->uid;
  return CheckSizes();
}

/// Whether y has the sizes that x and w give.
absl::Status Lowering::CheckSizes() const {
  const ConvProblem& problem = result_.problem;
  Sizes expected = {problem.batch, problem.k};
  for (int axis = 3 - problem.rank; axis < 3; ++axis) {
    expected.push_back(problem.dims[static_cast<std::size_t>(axis)].out());
  }
  if (y_->dims == expected) return absl::OkStatus();
  return Invalid("y, %s, has dims [%s]; x, w and the convolution's numbers make it [%s]",
                 NameOf(*y_), absl::StrJoin(y_->dims, ", "), absl::StrJoin(expected, ", "));
}

absl::Status Lowering::SetEpilogue() {
  for (const Link& link : chain_) {
    const GraphPointwise& node = *link.node;
    if (node.axis || node.in_2) return Unsupported("%s has an axis or a third operand", link.name);
    const bool is_binary = node.mode == PointwiseMode::kAdd || node.mode == PointwiseMode::kMul;
    if (is_binary != (link.other != nullptr)) {
      return Invalid("%s has pointwise mode %d and %d operands", link.name, int(node.mode),
                     link.other == nullptr ? 1 : 2);
    }
    absl::Status status;
    switch (node.mode) {
      case PointwiseMode::kAdd:
      case PointwiseMode::kMul:
        status = AddTensor(link);
        break;
      case PointwiseMode::kIdentity:
        break;
      case PointwiseMode::kRelu:
        status = SetRelu(link);
        break;
      case PointwiseMode::kAbs:
        status = SetUnary(link, Unary::kAbs, 1.0f);
        break;
      case PointwiseMode::kElu:
        status = SetUnary(link, Unary::kElu, node.elu_alpha);
        break;
      case PointwiseMode::kGeluTanh:
        status = SetUnary(link, Unary::kGelu, 1.0f);
        break;
      case PointwiseMode::kSigmoid:
        status = SetUnary(link, Unary::kSigmoid, 1.0f);
        break;
      case PointwiseMode::kSoftplus:
        status = SetUnary(link, Unary::kSoftplus, node.softplus_beta);
        break;
      case PointwiseMode::kSwish:
        status = SetUnary(link, Unary::kSwish, node.swish_beta);
        break;
      case PointwiseMode::kTanh:
        status = SetUnary(link, Unary::kTanh, 1.0f);
        break;
      default:
        return Unsupported("%s has pointwise mode %d, which is not fused", link.name,
                           int(node.mode));
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Lowering::AddTensor(const Link& link) {
  Epilogue& epilogue = result_.problem.epilogue;
  if (epilogue.unary != Unary::kNone || has_clips_) {
    return Unsupported("%s combines the value with a tensor after an activation", link.name);
  }
  if (epilogue.tensors == 2) return Unsupported("%s is the third with a tensor", link.name);
  const GraphTensor& tensor = *link.other;
  if (&tensor == out_) return Unsupported("%s is input and output", NameOf(tensor));
  if (absl::Status status = CheckTensor(tensor, out_->dims.size()); !status.ok()) return status;
  Sizes strides = tensor.strides;
  for (std::size_t i = 0; i < strides.size(); ++i) {
    if (tensor.dims[i] == 1) {
      strides[i] = 0;
    } else if (tensor.dims[i] != out_->dims[i]) {
      return Invalid("%s has dims [%s]; each must be 1 or the output's of [%s]", NameOf(tensor),
                     absl::StrJoin(tensor.dims, ", "), absl::StrJoin(out_->dims, ", "));
    }
  }
  const ConvProblem& problem = result_.problem;
  const auto i = static_cast<std::size_t>(epilogue.tensors++);
  result_.d[i] = tensor.uid;
  epilogue.d[i] = {.op = link.node->mode == PointwiseMode::kAdd ? EpilogueTensor::Op::kAdd
                                                                : EpilogueTensor::Op::kMultiply,
                   .type = *TypeOf(tensor.type),
                   .stride = is(Node::kWeight) ? WeightStrides(strides, problem.k_per_group())
                             : is(Node::kData) ? ImageStrides(strides, problem.c_per_group())
                                               : ImageStrides(strides, problem.k_per_group())};
  return absl::OkStatus();
}

absl::Status Lowering::SetUnary(const Link& link, Unary unary, std::optional<float> parameter) {
  Epilogue& epilogue = result_.problem.epilogue;
  if (epilogue.unary != Unary::kNone || has_clips_) {
    return Unsupported("%s is a second activation", link.name);
  }
  epilogue.unary = unary;
  epilogue.unary_parameter = static_cast<double>(parameter.value_or(1.0f));
  return absl::OkStatus();
}

absl::Status Lowering::SetRelu(const Link& link) {
  const GraphPointwise& node = *link.node;
  const float low = node.relu_lower_clip.value_or(0.0f);
  const float slope = node.relu_lower_clip_slope.value_or(0.0f);
  if (has_clips_) return Unsupported("%s is a second RELU", link.name);
  if (slope != 0) {
    if (low != 0) {
      return Unsupported("%s has lower clip %g and slope %g; one of them must be 0", link.name, low,
                         slope);
    }
    if (absl::Status status = SetUnary(link, Unary::kLeakyRelu, slope); !status.ok()) return status;
  }
  has_clips_ = true;
  Epilogue& epilogue = result_.problem.epilogue;
  if (slope == 0) epilogue.low = static_cast<double>(low);
  if (node.relu_upper_clip) epilogue.high = static_cast<double>(*node.relu_upper_clip);
  return absl::OkStatus();
}

absl::Status Lowering::SetLayoutsOfTensors() {
  ConvProblem& problem = result_.problem;
  if (absl::Status status = Validate(problem); !status.ok()) return status;
  TensorStrides strides = {.x = ImageStrides(x_->strides, problem.c_per_group()),
                           .w = WeightStrides(w_->strides, problem.k_per_group()),
                           .y = ImageStrides(y_->strides, problem.k_per_group())};
  result_.transposes_weights =
      problem.c_per_group() > 1 && problem.filter_taps() > 1 && IsPackedInOrder(*w_);
  if (result_.transposes_weights) strides.w = {};
  if (absl::Status status = SetLayouts(strides, problem); !status.ok()) {
    return absl::UnimplementedError(status.message());
  }
  if (result_.transposes_weights) problem.weight_layout = WeightLayout::kGKYXC;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ConvGraph> LowerGraph(const Graph& graph) { return Lowering(graph).Run(); }

}  // namespace gridwise::hipdnn
