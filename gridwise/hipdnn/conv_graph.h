// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

#include "absl/status/statusor.h"
#include "core/conv/problem.h"
#include "gridwise/hipdnn/graph.h"

namespace gridwise::hipdnn {

/// A graph that one convolution of Gridwise computes.
struct ConvGraph {
  ConvProblem problem;
  /// w or dw is [k][c/g][taps], an order that kernels do not have. The problem's is
  /// [k][taps][c/g].
  bool transposes_weights = false;
  /// Uids of the tensors in memory, as Tensors (gridwise/executable.h) has them. Of `d` there are
  /// problem.epilogue.tensors.
  std::int64_t a = 0, b = 0, out = 0;
  std::array<std::int64_t, 2> d = {};
};

/// The convolution that `graph` computes: one convolution node, and a chain of pointwise nodes that
/// is a function of core/conv/epilogue.h:
///
///   - up to two ADD or MUL with a tensor of the output's shape, or of size 1 along some axes,
///   - then up to one of ABS, ELU, GELU_APPROX_TANH, leaky RELU, SIGMOID, SOFTPLUS, SWISH, TANH,
///   - then up to one RELU, with clips.
///
/// IDENTITY may be anywhere. Values between nodes are virtual and are not rounded, whatever their
/// type.
///
/// Errors: kInvalidArgument if the graph is not consistent, or not valid as a problem (Validate);
/// kUnimplemented if it is another computation. The message names the node or the tensor.
absl::StatusOr<ConvGraph> LowerGraph(const Graph& graph);

}  // namespace gridwise::hipdnn
