// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "llvm/Support/JSON.h"
#include "tools/gridwise/import/line.h"

namespace gridwise {

/// Whether a document is a trace of events (Chrome's format), as PyTorch's profiler exports it.
bool IsTrace(const llvm::json::Value& document);

/// Calls visit(number, event) for the operators of a trace of PyTorch's profiler, numbered from 1.
/// Convolutions are the events aten::convolution, aten::convolution_backward and the fused
/// aten::{cudnn,miopen}_convolution_{relu,add_relu}. Others of the same convolution nest around or
/// in them (aten::conv2d, aten::_convolution, aten::miopen_convolution) and are left out.
///
/// Sizes are those of `Input Dims` and `Concrete Inputs`, which a trace has if it was recorded with
/// record_shapes=True. Layouts follow from `Input Strides`.
void ForEachOperator(const llvm::json::Value& trace,
                     const std::function<void(int number, ImportedLine)>& visit);

}  // namespace gridwise
