// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "llvm/Support/JSON.h"
#include "tools/gridwise/import/line.h"

namespace gridwise {

/// Calls visit(name, what it says) for the convolutions of an ONNX model, as onnx_reader.cc writes
/// them:
///
///   Conv, FusedConv              forward
///   ConvTranspose                backward-data: its outputs are dx, and its inputs dy
///   ConvInteger, QLinearConv     forward in i8
///
/// (docs/Operators.md of ONNX 1.20, with auto_pad, output_padding and output_shape). Tensors are
/// NCHW.
void ForEachNode(const llvm::json::Value& model,
                 const std::function<void(const std::string& name, ImportedLine)>& visit);

}  // namespace gridwise
