// SPDX-License-Identifier: MIT
/// Sizes of convolutions in the words of PyTorch and ONNX, as flags of this program.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace gridwise {

/// The flags that say what an attribute does, of the name that PyTorch or ONNX has for it:
/// {"--filter=3x3"} for kernel_size and (3, 3). Of ONNX's pads, which are first those at the
/// begin of each axis and then those at the end, two if these differ: {"--pad=1x1",
/// "--pad-end=2x2"}. None for auto_pad and NOTSET. nullopt if it is not the name of an attribute.
///
/// Errors: a sentence if the value says no padding.
absl::StatusOr<std::optional<std::vector<std::string>>> SizeFlags(std::string_view attribute,
                                                                  std::string_view value);

/// A layer without the sizes of its images.
struct PrintedLayer {
  bool transposed = false;
  std::vector<std::string> flags;
};

/// Reads a layer as PyTorch prints a module, or as a program writes it, or an operator as ONNX
/// prints a node:
///
///   Conv2d(64, 128, kernel_size=(3, 3), stride=(2, 2), padding=(1, 1), bias=False)
///   (up): ConvTranspose2d(64, 32, kernel_size=(4, 4), stride=(2, 2), padding=(1, 1))
///   nn.Conv1d(16, 33, 3, padding='same')
///   y = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [2, 2]> (x, w)
///
/// nullopt if it is none of these. Errors: a sentence about an argument that Gridwise does not
/// have.
absl::StatusOr<std::optional<PrintedLayer>> ReadLayer(std::string_view text);

}  // namespace gridwise
