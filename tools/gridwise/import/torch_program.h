// SPDX-License-Identifier: MIT
#pragma once

#include "tools/gridwise/import/line.h"

namespace gridwise {

/// Reads programs of torch.fx as PyTorch prints them: `print(torch.export.export(model, inputs))`,
/// `graph_module.print_readable()`, and logs of TORCH_LOGS=aot_graphs, which have gradients, too:
///
///   conv2d: "f16[8, 128, 28, 28]" = torch.ops.aten.conv2d.default(x, w, None, [2, 2], [1, 1]);
///
/// Sizes are those behind the names of tensors, which the reader remembers; strides follow them if
/// the program was printed with include_stride=True. A number of images that the program leaves
/// open becomes 1.
///
/// The arguments and defaults are those of aten/src/ATen/native/native_functions.yaml of PyTorch
/// 2.14.
LineReader TorchProgramReader();

}  // namespace gridwise
