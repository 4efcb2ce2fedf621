// SPDX-License-Identifier: MIT
#include "gridwise/hipdnn/graph_writer.h"

#include <array>
#include <span>

namespace gridwise::hipdnn {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using flatbuffers::uoffset_t;

template <class T>
void AddIf(FlatBufferBuilder& builder, flatbuffers::voffset_t at, const std::optional<T>& value) {
  if (value) builder.AddElement(at, *value);
}

Offset<void> WriteTensor(FlatBufferBuilder& builder, const WrittenTensor& tensor) {
  const auto strides = builder.CreateVector(tensor.strides);
  const auto dims = builder.CreateVector(tensor.dims);
  const uoffset_t start = builder.StartTable();
  builder.AddElement(4, tensor.uid, std::int64_t{0});                            // VT_UID
  builder.AddElement(8, static_cast<std::int8_t>(tensor.type), std::int8_t{0});  // VT_DATA_TYPE
  if (!tensor.strides.empty()) builder.AddOffset(10, strides);                   // VT_STRIDES
  if (!tensor.dims.empty()) builder.AddOffset(12, dims);                         // VT_DIMS
  builder.AddElement(14, std::uint8_t{tensor.is_virtual}, std::uint8_t{0});      // VT_VIRTUAL_
  builder.AddElement(20, std::uint8_t{tensor.by_value},
                     std::uint8_t{0});                         // is_runtime_pass_by_value
  AddIf(builder, 22, tensor.ragged);                           // ragged_offset_tensor_uid
  builder.AddElement(24, tensor.alignment, std::int64_t{16});  // VT_ALIGNMENT
  return Offset<void>(builder.EndTable(start));
}

Offset<void> WriteNode(FlatBufferBuilder& builder, int kind, int compute_type,
                       Offset<void> attributes) {
  const auto name = builder.CreateString(kind == 2 ? "pointwise" : "convolution");
  const uoffset_t start = builder.StartTable();
  builder.AddOffset(4, name);  // VT_NAME
  builder.AddElement(6, static_cast<std::int8_t>(compute_type),
                     std::int8_t{0});                                       // compute_data_type
  builder.AddElement(8, static_cast<std::uint8_t>(kind), std::uint8_t{0});  // VT_ATTRIBUTES_TYPE
  builder.AddOffset(10, attributes);                                        // VT_ATTRIBUTES
  return Offset<void>(builder.EndTable(start));
}

Offset<void> WriteAttributes(FlatBufferBuilder& builder, const WrittenConvolution& node) {
  const auto pre = builder.CreateVector(node.pre_padding);
  const auto post = builder.CreateVector(node.post_padding);
  const auto stride = builder.CreateVector(node.stride);
  const auto dilation = builder.CreateVector(node.dilation);
  const uoffset_t start = builder.StartTable();
  builder.AddElement(4, node.a, std::int64_t{0});    // VT_X_TENSOR_UID, VT_DY_TENSOR_UID
  builder.AddElement(6, node.b, std::int64_t{0});    // VT_W_TENSOR_UID
  builder.AddElement(8, node.out, std::int64_t{0});  // VT_Y_TENSOR_UID, VT_DX_TENSOR_UID
  builder.AddOffset(10, pre);                        // VT_PRE_PADDING
  builder.AddOffset(12, post);                       // VT_POST_PADDING
  builder.AddOffset(14, stride);                     // VT_STRIDE
  builder.AddOffset(16, dilation);                   // VT_DILATION
  builder.AddElement(18, static_cast<std::int8_t>(node.mode), std::int8_t{0});  // VT_CONV_MODE
  return Offset<void>(builder.EndTable(start));
}

Offset<void> WriteAttributes(FlatBufferBuilder& builder, const WrittenPointwise& node) {
  const uoffset_t start = builder.StartTable();
  builder.AddElement(4, static_cast<std::int8_t>(node.mode), std::int8_t{0});  // VT_OPERATION
  AddIf(builder, 6, node.relu_lower_clip);                                     // VT_RELU_LOWER_CLIP
  AddIf(builder, 8, node.relu_upper_clip);                                     // VT_RELU_UPPER_CLIP
  AddIf(builder, 10, node.relu_lower_clip_slope);      // VT_RELU_LOWER_CLIP_SLOPE
  builder.AddElement(14, node.in_0, std::int64_t{0});  // VT_IN_0_TENSOR_UID
  AddIf(builder, 16, node.in_1);                       // VT_IN_1_TENSOR_UID
  AddIf(builder, 18, node.in_2);                       // VT_IN_2_TENSOR_UID
  builder.AddElement(20, node.out, std::int64_t{0});   // VT_OUT_0_TENSOR_UID
  AddIf(builder, 22, node.swish_beta);                 // VT_SWISH_BETA
  return Offset<void>(builder.EndTable(start));
}

std::vector<std::byte> Bytes(const FlatBufferBuilder& builder) {
  const auto bytes = std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

std::vector<std::byte> Write(const WrittenGraph& graph) {
  FlatBufferBuilder builder;
  std::vector<Offset<void>> tensors, nodes;
  for (const WrittenTensor& tensor : graph.tensors) tensors.push_back(WriteTensor(builder, tensor));
  for (const WrittenConvolution& node : graph.convolutions) {
    nodes.push_back(
        WriteNode(builder, node.kind, node.compute_type, WriteAttributes(builder, node)));
  }
  for (const WrittenPointwise& node : graph.pointwise) {
    nodes.push_back(WriteNode(builder, 2, node.compute_type, WriteAttributes(builder, node)));
  }
  if (graph.has_matmul) {
    nodes.push_back(WriteNode(builder, 9, 1, Offset<void>(builder.EndTable(builder.StartTable()))));
  }
  const auto all_tensors = builder.CreateVector(tensors);
  const auto all_nodes = builder.CreateVector(nodes);
  const std::array<std::uint32_t, 3> version = {1, static_cast<std::uint32_t>(graph.min_api_minor),
                                                0};
  const uoffset_t start = builder.StartTable();
  builder.AddElement(6, std::int8_t{1}, std::int8_t{0});                          // FLOAT
  builder.AddElement(8, std::int8_t{1}, std::int8_t{0});                          // FLOAT
  builder.AddElement(10, std::int8_t{2}, std::int8_t{0});                         // HALF
  builder.AddOffset(12, all_tensors);                                             // VT_TENSORS
  builder.AddOffset(14, all_nodes);                                               // VT_NODES
  builder.AddElement(18, std::uint8_t{graph.overrides_shapes}, std::uint8_t{0});  // overrides
  if (graph.min_api_minor > 0) builder.AddStruct(20, &version);  // min_required_engine_api_version
  if (graph.has_new_field) builder.AddElement(24, std::int64_t{1}, std::int64_t{0});
  builder.Finish(Offset<void>(builder.EndTable(start)));
  return Bytes(builder);
}

std::vector<std::byte> WriteConfig(std::int64_t engine,
                                   const std::vector<std::pair<std::string, std::int64_t>>& numbers,
                                   const std::vector<std::pair<std::string, std::string>>& texts) {
  FlatBufferBuilder builder;
  std::vector<Offset<void>> settings;
  const auto add = [&](const std::string& name, std::uint8_t kind, Offset<void> value) {
    const auto text = builder.CreateString(name);
    const uoffset_t start = builder.StartTable();
    builder.AddOffset(4, text);                    // VT_KNOB_ID
    builder.AddElement(6, kind, std::uint8_t{0});  // VT_VALUE_TYPE
    builder.AddOffset(8, value);                   // VT_VALUE
    settings.emplace_back(builder.EndTable(start));
  };
  for (const auto& [name, number] : numbers) {
    const uoffset_t start = builder.StartTable();
    builder.AddElement(4, number, std::int64_t{0});
    add(name, 1, Offset<void>(builder.EndTable(start)));
  }
  for (const auto& [name, value] : texts) {
    const auto text = builder.CreateString(value);
    const uoffset_t start = builder.StartTable();
    builder.AddOffset(4, text);
    add(name, 3, Offset<void>(builder.EndTable(start)));
  }
  const auto knobs = builder.CreateVector(settings);
  const uoffset_t start = builder.StartTable();
  builder.AddElement(4, engine, std::int64_t{0});  // VT_ENGINE_ID
  builder.AddOffset(6, knobs);                     // VT_KNOBS
  builder.Finish(Offset<void>(builder.EndTable(start)));
  return Bytes(builder);
}

}  // namespace gridwise::hipdnn
