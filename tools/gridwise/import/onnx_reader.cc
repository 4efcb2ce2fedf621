// SPDX-License-Identifier: MIT
/// onnx_reader MODEL OUT: writes the nodes of an ONNX model that are convolutions as JSON,
/// with the sizes of their tensors by ONNX's own shape inference (onnx_nodes.h). It is a program of
/// its own so that no other command loads ONNX's libraries, or ends with them.

#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <string>
#include <utility>

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#ifdef GRIDWISE_WITHOUT_ONNX

int main() {
  std::fputs(
      "this program was built without ONNX's library; install libonnx-dev and "
      "libprotobuf-dev and build again\n",
      stderr);
  return 1;
}

#else

#include "onnx/defs/schema.h"
#include "onnx/inliner/inliner.h"
#include "onnx/onnx_pb.h"
#include "onnx/shape_inference/implementation.h"

namespace gridwise {
namespace {

/// Tensors of a graph, and of those around it, by name.
using Types = std::map<std::string, onnx::TypeProto_Tensor>;

/// The name of an element type in onnx.proto, in lower case.
const char* NameOf(std::int32_t type) {
  switch (type) {
    case onnx::TensorProto::FLOAT:
      return "float";
    case onnx::TensorProto::FLOAT16:
      return "float16";
    case onnx::TensorProto::BFLOAT16:
      return "bfloat16";
    case onnx::TensorProto::DOUBLE:
      return "double";
    case onnx::TensorProto::INT8:
      return "int8";
    case onnx::TensorProto::UINT8:
      return "uint8";
    case onnx::TensorProto::INT32:
      return "int32";
    default:
      return "";
  }
}

/// Gives inputs without a number of images one image.
void SetBatch(onnx::GraphProto& graph) {
  for (onnx::ValueInfoProto& input : *graph.mutable_input()) {
    if (!input.type().has_tensor_type() || !input.type().tensor_type().has_shape()) continue;
    onnx::TensorShapeProto& shape = *input.mutable_type()->mutable_tensor_type()->mutable_shape();
    if (shape.dim_size() > 0 && !shape.dim(0).has_dim_value()) {
      shape.mutable_dim(0)->set_dim_value(1);
    }
  }
}

/// Makes FusedConv of ONNX Runtime, which shape inference does not know, a Conv that does the same
/// but for its epilogue. The operator is kept as the domain, which Conv has none of.
void ReplaceFused(onnx::GraphProto& graph) {
  for (onnx::NodeProto& node : *graph.mutable_node()) {
    if (node.op_type() != "FusedConv") continue;
    node.set_op_type("Conv");
    node.clear_domain();
    node.set_doc_string("FusedConv");
    while (node.input_size() > 3) node.mutable_input()->RemoveLast();
    for (int i = node.attribute_size() - 1; i >= 0; --i) {
      if (node.attribute(i).name().rfind("activation", 0) != 0) continue;
      node.mutable_attribute()->DeleteSubrange(i, 1);
    }
  }
}

void AddTypes(const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>& values,
              Types& types) {
  for (const onnx::ValueInfoProto& value : values) {
    if (value.type().has_tensor_type()) types[value.name()] = value.type().tensor_type();
  }
}

Types CollectTypes(const onnx::GraphProto& graph, Types types) {
  AddTypes(graph.input(), types);
  AddTypes(graph.value_info(), types);
  AddTypes(graph.output(), types);
  for (const onnx::TensorProto& tensor : graph.initializer()) {
    onnx::TypeProto_Tensor type;
    type.set_elem_type(tensor.data_type());
    for (const std::int64_t size : tensor.dims()) {
      type.mutable_shape()->add_dim()->set_dim_value(size);
    }
    types[tensor.name()] = type;
  }
  return types;
}

/// {"type": "float", "sizes": [1, 3, 224, 224]}; -1: unknown.
llvm::json::Object ToJson(const std::string& name, const Types& types) {
  const auto found = types.find(name);
  if (found == types.end()) return llvm::json::Object();
  llvm::json::Array sizes;
  for (const auto& dimension : found->second.shape().dim()) {
    sizes.push_back(dimension.has_dim_value() ? dimension.dim_value() : std::int64_t{-1});
  }
  return llvm::json::Object{{"type", NameOf(found->second.elem_type())},
                            {"sizes", std::move(sizes)}};
}

llvm::json::Object ReadAttributes(const onnx::NodeProto& node) {
  llvm::json::Object attributes;
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.has_s()) {
      attributes[attribute.name()] = llvm::json::fixUTF8(attribute.s());
    } else if (attribute.has_i()) {
      attributes[attribute.name()] = attribute.i();
    } else {
      llvm::json::Array numbers;
      for (const std::int64_t number : attribute.ints()) numbers.push_back(number);
      attributes[attribute.name()] = std::move(numbers);
    }
  }
  return attributes;
}

llvm::json::Object ToJson(const onnx::NodeProto& node, const Types& types) {
  llvm::json::Array inputs, outputs;
  for (const std::string& input : node.input()) inputs.push_back(ToJson(input, types));
  for (const std::string& output : node.output()) outputs.push_back(ToJson(output, types));
  const std::string& name = node.name().empty() && node.output_size() > 0 ? node.output(0)  //
                                                                          : node.name();
  return llvm::json::Object{{"op", node.doc_string() == "FusedConv" ? "FusedConv" : node.op_type()},
                            {"name", llvm::json::fixUTF8(name)},
                            {"inputs", std::move(inputs)},
                            {"outputs", std::move(outputs)},
                            {"attributes", ReadAttributes(node)}};
}

/// The nodes of a graph and of the graphs in it.
struct Nodes {
  llvm::json::Array convolutions;
  std::map<std::string, std::int64_t> others;

  void Add(const onnx::GraphProto& graph, const Types& outer) {
    const Types types = CollectTypes(graph, outer);
    for (const onnx::NodeProto& node : graph.node()) {
      if (node.op_type().find("Conv") != std::string::npos) {
        convolutions.push_back(ToJson(node, types));
      } else {
        ++others[llvm::json::fixUTF8(node.op_type())];
      }
      for (const onnx::AttributeProto& attribute : node.attribute()) {
        if (attribute.has_g()) Add(attribute.g(), types);
        for (const onnx::GraphProto& inner : attribute.graphs()) Add(inner, types);
      }
    }
  }
};

/// Writes the nodes to `out`. Returns what is wrong; empty if nothing is.
std::string Convert(const char* path, const char* out) {
  std::ifstream file(path, std::ios::binary);
  onnx::ModelProto model;
  if (!model.ParseFromIstream(&file) || model.graph().node_size() == 0) {
    return "it is neither text nor an ONNX model";
  }
  onnx::inliner::InlineLocalFunctions(model);
  ReplaceFused(*model.mutable_graph());
  SetBatch(*model.mutable_graph());
  std::string inference;
  try {
    onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(),
                                       onnx::ShapeInferenceOptions(false, 0, true));
  } catch (const std::exception& error) {
    inference = error.what();  // what was inferred before is in the model
  }
  Nodes nodes;
  nodes.Add(model.graph(), {});
  llvm::json::Object others;
  for (const auto& [op, count] : nodes.others) others[op] = count;
  llvm::json::Object document{{"onnx_nodes", std::move(nodes.convolutions)},
                              {"others", std::move(others)},
                              {"inference_error", llvm::json::fixUTF8(inference)}};
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << llvm::json::Value(std::move(document));
  std::ofstream result(out, std::ios::binary);
  result << text << std::flush;
  return result ? "" : std::string("cannot write ") + out;
}

}  // namespace
}  // namespace gridwise

int main(int argc, char** argv) {
  std::string error = "usage: onnx_reader MODEL OUT";
  try {
    if (argc == 3) error = gridwise::Convert(argv[1], argv[2]);
  } catch (const std::exception& exception) {
    error = exception.what();
  }
  if (error.empty()) return 0;
  std::fprintf(stderr, "%s\n", error.c_str());
  return 1;
}

#endif
