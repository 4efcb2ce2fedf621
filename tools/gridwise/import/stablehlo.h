// SPDX-License-Identifier: MIT
#pragma once

#include "tools/gridwise/import/line.h"

namespace gridwise {

/// Reads a StableHLO or MHLO program, such as JAX's lower().as_text(), an operation a line:
///
///   %1 = stablehlo.convolution(%0, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
///        window = {stride = [2, 2], pad = [[0, 1], [0, 1]]} {feature_group_count = 2 : i64}
///        : (tensor<8x56x56x64xbf16>, tensor<3x3x32x128xbf16>) -> tensor<8x28x28x128xbf16>
///
/// Tensors are taken as row-major: layouts are chosen later. The reader keeps which values are
/// reversed, as the filters of gradients are.
LineReader StableHloReader();

}  // namespace gridwise
