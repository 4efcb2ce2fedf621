// SPDX-License-Identifier: MIT
#include "gridwise/hipdnn/graph.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "flatbuffers/flatbuffers.h"
#include "gridwise/hipdnn/tables.h"

namespace gridwise::hipdnn {
namespace {

using flatbuffers::Verifier;

template <class T>
std::optional<T> ToStd(const flatbuffers::Optional<T>& value) {
  if (!value.has_value()) return std::nullopt;
  return value.value();
}

absl::Status UnknownFields(const char* table) {
  return absl::UnimplementedError(
      absl::StrFormat("%s has fields that are newer than this version of Gridwise", table));
}

class TensorTable : public Table {
 public:
  static constexpr int kFields = 12;

  bool Verify(Verifier& verifier) const {
    return VerifyTableStart(verifier) && VerifyScalar<std::int64_t>(verifier, 0) &&
           VerifyText(verifier, 1) && VerifyScalar<std::int8_t>(verifier, 2) &&
           VerifyNumbers(verifier, 3) && VerifyNumbers(verifier, 4) &&
           VerifyScalar<std::uint8_t>(verifier, 5) && VerifyScalar<std::uint8_t>(verifier, 6) &&
           VerifyScalar<std::uint8_t>(verifier, 8) && VerifyScalar<std::int64_t>(verifier, 9) &&
           VerifyScalar<std::int64_t>(verifier, 10) && VerifyScalar<std::int64_t>(verifier, 11) &&
           verifier.EndTable();
  }
  GraphTensor Read() const {
    return {.uid = GetField<std::int64_t>(Field(0), 0),
            .name = Text(1),
            .type = static_cast<GraphType>(GetField<std::int8_t>(Field(2), 0)),
            .strides = ReadNumbers(3),
            .dims = ReadNumbers(4),
            .is_virtual = GetField<std::uint8_t>(Field(5), 0) != 0,
            .is_scalar = GetField<std::uint8_t>(Field(6), 0) != 0 ||
                         GetField<std::uint8_t>(Field(8), 0) != 0,
            .is_ragged = CheckField(Field(9)) || GetField<std::int64_t>(Field(11), 1) != 1,
            .alignment = GetField<std::int64_t>(Field(10), 16)};
  }
};

class ConvolutionTable : public Table {
 public:
  static constexpr int kFields = 10;  // the last two are hints

  bool Verify(Verifier& verifier) const {
    return VerifyTableStart(verifier) && VerifyScalar<std::int64_t>(verifier, 0) &&
           VerifyScalar<std::int64_t>(verifier, 1) && VerifyScalar<std::int64_t>(verifier, 2) &&
           VerifyNumbers(verifier, 3) && VerifyNumbers(verifier, 4) && VerifyNumbers(verifier, 5) &&
           VerifyNumbers(verifier, 6) && VerifyScalar<std::int8_t>(verifier, 7) &&
           verifier.EndTable();
  }
  GraphConvolution Read(GraphConvolution::Direction direction) const {
    return {.direction = direction,
            .a = GetField<std::int64_t>(Field(0), 0),
            .b = GetField<std::int64_t>(Field(1), 0),
            .out = GetField<std::int64_t>(Field(2), 0),
            .pre_padding = ReadNumbers(3),
            .post_padding = ReadNumbers(4),
            .stride = ReadNumbers(5),
            .dilation = ReadNumbers(6),
            .mode = static_cast<ConvMode>(GetField<std::int8_t>(Field(7), 0))};
  }
};

class PointwiseTable : public Table {
 public:
  static constexpr int kFields = 12;

  bool Verify(Verifier& verifier) const {
    if (!VerifyTableStart(verifier) || !VerifyScalar<std::int8_t>(verifier, 0)) return false;
    for (const int field : {1, 2, 3, 9, 10, 11}) {
      if (!VerifyScalar<float>(verifier, field)) return false;
    }
    for (const int field : {4, 5, 6, 7, 8}) {
      if (!VerifyScalar<std::int64_t>(verifier, field)) return false;
    }
    return verifier.EndTable();
  }
  GraphPointwise Read() const {
    return {.mode = static_cast<PointwiseMode>(GetField<std::int8_t>(Field(0), 0)),
            .relu_lower_clip = Float(1),
            .relu_upper_clip = Float(2),
            .relu_lower_clip_slope = Float(3),
            .axis = Uid(4),
            .in_0 = GetField<std::int64_t>(Field(5), 0),
            .in_1 = Uid(6),
            .in_2 = Uid(7),
            .out = GetField<std::int64_t>(Field(8), 0),
            .swish_beta = Float(9),
            .elu_alpha = Float(10),
            .softplus_beta = Float(11)};
  }

 private:
  std::optional<float> Float(int field) const {
    return ToStd(GetOptional<float, float>(Field(field)));
  }
  std::optional<std::int64_t> Uid(int field) const {
    return ToStd(GetOptional<std::int64_t, std::int64_t>(Field(field)));
  }
};

/// Numbers of the attributes in hipDNN's union.
constexpr int kPointwise = 2, kFirstConvolution = 5, kLastConvolution = 7;

class NodeTable : public Table {
 public:
  static constexpr int kFields = 4;

  bool Verify(Verifier& verifier) const {
    return VerifyTableStart(verifier) && VerifyText(verifier, 0) &&
           VerifyScalar<std::int8_t>(verifier, 1) && VerifyScalar<std::uint8_t>(verifier, 2) &&
           VerifyAttributes(verifier) && verifier.EndTable();
  }
  absl::StatusOr<GraphNode> Read() const {
    GraphNode node = {.name = Text(0),
                      .compute_type = static_cast<GraphType>(GetField<std::int8_t>(Field(1), 0)),
                      .attributes = GraphOther{kind()}};
    if (At<Table>(3) == nullptr) return node;
    if (IsConvolution()) {
      if (At<Table>(3)->HasMoreThan(ConvolutionTable::kFields)) {
        return UnknownFields("a convolution");
      }
      node.attributes = At<ConvolutionTable>(3)->Read(
          static_cast<GraphConvolution::Direction>(kind() - kFirstConvolution));
    } else if (kind() == kPointwise) {
      if (At<Table>(3)->HasMoreThan(PointwiseTable::kFields)) {
        return UnknownFields("a pointwise node");
      }
      node.attributes = At<PointwiseTable>(3)->Read();
    }
    return node;
  }

 private:
  int kind() const { return GetField<std::uint8_t>(Field(2), 0); }
  bool IsConvolution() const { return kind() >= kFirstConvolution && kind() <= kLastConvolution; }
  /// Attributes of other kinds are not read.
  bool VerifyAttributes(Verifier& verifier) const {
    if (IsConvolution()) return VerifyTable<ConvolutionTable>(verifier, 3);
    if (kind() == kPointwise) return VerifyTable<PointwiseTable>(verifier, 3);
    return VerifyOffset(verifier, Field(3));
  }
};

/// A version of the engine plugin API: major, minor, patch.
struct ApiVersion {
  std::uint32_t major, minor, patch;
};

class GraphTable : public Table {
 public:
  static constexpr int kFields = 10;  // the last one is the graph's identity

  bool Verify(Verifier& verifier) const {
    return VerifyTableStart(verifier) && VerifyScalar<std::int8_t>(verifier, 1) &&
           VerifyTables<TensorTable>(verifier, 4) && VerifyTables<NodeTable>(verifier, 5) &&
           VerifyScalar<std::uint8_t>(verifier, 7) &&
           VerifyField<ApiVersion>(verifier, Field(8), alignof(ApiVersion)) && verifier.EndTable();
  }
  absl::StatusOr<Graph> Read() const {
    if (HasMoreThan(kFields)) return UnknownFields("the graph");
    if (const auto* const version = GetStruct<const ApiVersion*>(Field(8));
        version != nullptr && (version->major != 1 || version->minor > 0)) {
      return absl::UnimplementedError(absl::StrFormat(
          "the graph requires version %d.%d.%d of the engine plugin API; this plugin has 1.0.0",
          version->major, version->minor, version->patch));
    }
    Graph graph = {.compute_type = static_cast<GraphType>(GetField<std::int8_t>(Field(1), 0)),
                   .overrides_shapes = GetField<std::uint8_t>(Field(7), 0) != 0};
    if (const auto* const tensors = TablesAt<TensorTable>(4)) {
      for (const TensorTable* const tensor : *tensors) {
        if (tensor->HasMoreThan(TensorTable::kFields)) return UnknownFields("a tensor");
        graph.tensors.push_back(tensor->Read());
      }
    }
    if (const auto* const nodes = TablesAt<NodeTable>(5)) {
      for (const NodeTable* const table : *nodes) {
        if (table->HasMoreThan(NodeTable::kFields)) return UnknownFields("a node");
        absl::StatusOr<GraphNode> node = table->Read();
        if (!node.ok()) return node.status();
        graph.nodes.push_back(*std::move(node));
      }
    }
    return graph;
  }
};

}  // namespace

absl::StatusOr<Graph> ParseGraph(std::span<const std::byte> bytes) {
  const std::vector<std::uint8_t> buffer = Aligned(bytes);
  const GraphTable* const graph = ReadRoot<GraphTable>(buffer);
  if (graph == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the %d bytes are no serialised graph of hipDNN", bytes.size()));
  }
  return graph->Read();
}

}  // namespace gridwise::hipdnn
