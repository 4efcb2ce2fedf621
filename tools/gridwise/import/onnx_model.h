// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "llvm/Support/JSON.h"

namespace gridwise {

/// The nodes of an ONNX model (onnx_nodes.h), by the program onnx_reader, which is next to
/// `program`, argv[0] of this one. `model` is the content of its file. Inputs without a number of
/// images have one.
///
/// Errors: kInvalidArgument if it is no model; kNotFound without the reader.
absl::StatusOr<llvm::json::Value> ReadOnnxModel(const std::string& model,
                                                const std::string& program);

}  // namespace gridwise
