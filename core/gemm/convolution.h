// SPDX-License-Identifier: MIT
#pragma once

#include "core/conv/problem.h"
#include "core/gemm/problem.h"

namespace gridwise {

/// Returns the valid matrix multiplication as a forward convolution with one tap, so that
/// everything that plans convolutions also plans it: parts of large problems, splits of K and their
/// sum, the family interface. Matrices are groups, rows are pixels, terms are input channels and
/// columns output channels, on tensors whose strides are given.
constexpr ConvProblem AsConvolution(const GemmProblem& gemm) {
  ConvProblem conv = {.direction = Direction::kForward,
                      .type = gemm.type,
                      .out_type = gemm.out_type,
                      .rank = 1,
                      .groups = gemm.batch,
                      .c = gemm.batch * gemm.k,
                      .k = gemm.batch * gemm.n,
                      .epilogue = gemm.epilogue};
  conv.dims[2].in = gemm.m;
  const auto& [a, b, c] = std::array{gemm.a, gemm.b, gemm.c};
  conv.strides[static_cast<std::size_t>(Tensor::kX)] = {0, 0, 0, a.row, a.batch, a.column};
  conv.strides[static_cast<std::size_t>(Tensor::kW)] = {b.batch, b.column, 0, 0, 0, b.row};
  conv.strides[static_cast<std::size_t>(Tensor::kY)] = PerAxisStrides(c);
  return conv;
}

}  // namespace gridwise
