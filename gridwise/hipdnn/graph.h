// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"

/// An operation graph of hipDNN, as values.
///
/// hipDNN passes graphs to plugins as FlatBuffers. Names and numbers of fields and enumerators are
/// those of its schemas (ROCm/rocm-libraries, projects/hipdnn/flatbuffers_sdk/schemas, 2026).

namespace gridwise::hipdnn {

/// DataType, of which these are the types that Gridwise knows.
enum class GraphType : std::int8_t {
  kUnset = 0,
  kFloat = 1,
  kHalf = 2,
  kBFloat16 = 3,
  kInt32 = 6,
  kInt8 = 7,
  kFp8E4M3 = 8,
  kFp8E5M2 = 9,
  kFp8E4M3Fnuz = 16,
  kFp8E5M2Fnuz = 17,
};

/// ConvMode. The first one mirrors the filter, the second one does not.
enum class ConvMode : std::int8_t { kUnset = 0, kConvolution = 1, kCrossCorrelation = 2 };

/// PointwiseMode, of which these are the functions that Gridwise fuses.
enum class PointwiseMode : std::int8_t {
  kUnset = 0,
  kAbs = 1,
  kAdd = 2,
  kElu = 14,
  kGeluTanh = 19,
  kIdentity = 23,
  kMul = 30,
  kRelu = 34,
  kSigmoid = 37,
  kSoftplus = 40,
  kSwish = 44,
  kTanh = 47,
};

/// TensorAttributes. Sizes and strides are of the logical axes n, channels, spatial axes (for w: k,
/// channels per group, taps), whatever their order in memory.
struct GraphTensor {
  std::int64_t uid = 0;
  std::string name = {};
  GraphType type = GraphType::kUnset;
  std::vector<std::int64_t> strides = {}, dims = {};
  bool is_virtual = false;      ///< not in memory: a value between two nodes
  bool is_scalar = false;       ///< a number of the graph or of the call, not in memory
  bool is_ragged = false;       ///< batches of different lengths
  std::int64_t alignment = 16;  ///< bytes
};

/// ConvolutionFwdAttributes, ConvolutionBwdAttributes and ConvolutionWrwAttributes.
struct GraphConvolution {
  enum class Direction : unsigned char { kForward, kData, kWeight };
  Direction direction = Direction::kForward;
  std::int64_t a = 0, b = 0, out = 0;  ///< uids: x, w, y; dy, w, dx; x, dy, dw
  std::vector<std::int64_t> pre_padding = {}, post_padding = {}, stride = {}, dilation = {};
  ConvMode mode = ConvMode::kUnset;
};

/// PointwiseAttributes.
struct GraphPointwise {
  PointwiseMode mode = {};
  std::optional<float> relu_lower_clip = {}, relu_upper_clip = {}, relu_lower_clip_slope = {};
  std::optional<std::int64_t> axis = {};
  std::int64_t in_0 = 0;
  std::optional<std::int64_t> in_1 = {}, in_2 = {};
  std::int64_t out = 0;
  std::optional<float> swish_beta = {}, elu_alpha = {}, softplus_beta = {};
};

/// Attributes of another kind, by their number in hipDNN's union.
struct GraphOther {
  int kind = 0;
};

struct GraphNode {
  std::string name = {};
  GraphType compute_type = GraphType::kUnset;
  std::variant<GraphOther, GraphConvolution, GraphPointwise> attributes = {};
};

struct Graph {
  GraphType compute_type = GraphType::kUnset;
  std::vector<GraphTensor> tensors = {};
  std::vector<GraphNode> nodes = {};
  bool overrides_shapes = false;  ///< sizes may change from call to call
};

/// Reads a serialised graph. `bytes` may have any alignment and any content.
///
/// Errors: kInvalidArgument if `bytes` is no graph; kUnimplemented if the graph has fields that
/// this version does not know, or requires a newer plugin API.
absl::StatusOr<Graph> ParseGraph(std::span<const std::byte> bytes);

}  // namespace gridwise::hipdnn
