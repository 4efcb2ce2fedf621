// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/conv/problem.h"
#include "tools/gridwise/import/line.h"

namespace gridwise {

/// A tensor as PyTorch, cuDNN and hipDNN describe it. Its dimensions are logical: N, C and the
/// spatial axes for activations; K, C of a group and the axes for weights.
struct LogicalTensor {
  std::string type = {};                   // "c10::Half", "f16", "HALF", "half"
  std::vector<std::int64_t> sizes = {};    // empty: unknown
  std::vector<std::int64_t> strides = {};  // in elements; empty: unknown
};

/// A convolution that is given by the shapes of its tensors.
struct TensorConvolution {
  LogicalTensor x = {}, w = {};
  LogicalTensor y = {};  // its sizes may be unknown
  /// One number for each axis, or one for all.
  std::vector<std::int64_t> stride = {1}, dilation = {1}, pad_begin = {0}, pad_end = {0};
  std::vector<std::int64_t> output_padding = {0};  // of a transposed one
  /// y is what backward-data computes of x; w is C, K of a group and the axes.
  bool transposed = false;
  std::int64_t groups = 1;
  /// The forward computation of y, the gradients of x and w.
  std::vector<Direction> directions = {};
};

/// The gradients that the output_mask of PyTorch's convolution_backward asks for: "True" or "False"
/// for x, the weights and the bias.
std::vector<Direction> DirectionsOfMask(const std::vector<std::string_view>& mask);

/// The number of groups as cuDNN and hipDNN define it: the channels of x over those of the weights;
/// 1 if these do not divide them, which is then an error of ReadTensorConvolution.
std::int64_t GroupsOf(const LogicalTensor& x, const LogicalTensor& w);

/// The problems that `convolution` is. The layout follows from the strides of x: NHWGC or NGCHW.
/// Where weights lie otherwise the note says so.
///
/// Errors: kInvalidArgument if sizes contradict each other, kUnimplemented if Gridwise lacks the
/// type.
absl::StatusOr<ImportedItem> ReadTensorConvolution(const TensorConvolution& convolution,
                                                   const char* kind);

}  // namespace gridwise
