// SPDX-License-Identifier: MIT
/// Convolutions as matrix multiplications: the views of each direction's tensors as A, B and C.
///
///   C[g][m][n] = sum over k of A[g][m][k] * B[g][n][k]
///
///   direction        m                   n                    k
///   forward          image, pixel of y    channel of y         filter tap, channel of x
///   backward-data    image, pixel of dx   channel of x         filter tap, channel of y
///   backward-weight  channel of y        filter tap, c of x   image, pixel of y
///
/// In m, n and k, the index named last varies fastest. Backward-data is several multiplications,
/// one for the pixels of dx that have the same filter taps, see core/conv/gemm_map.h.
#pragma once

#include <array>
#include <cstdint>

#include "ck/descriptor/descriptor.h"
#include "core/conv/gemm_map.h"
#include "core/conv/problem.h"
#include "core/conv/sub_gemms.h"

namespace gridwise::ck {

/// The operands and the output of a batched matrix multiplication; each view has three axes.
struct GemmDescriptors {
  Descriptor a;            // batch, m, k
  Descriptor b;            // batch, n, k
  Descriptor c;            // batch, m, n
  std::int64_t terms = 0;  // k; 0: C is zero, and A and B are ignored
};

/// Shared by the multiplications of a problem: its tensors, and the distances of pixels and taps of
/// its phases, by axis.
struct ConvAxes {
  TensorAxes a, b, out;
  std::array<AxisStrides, 3> strides;

  explicit ConvAxes(const ConvProblem& problem);
};

/// The view of the output in a multiplication, over a tensor with the output's sizes and these
/// distances between elements: the output itself, or one that the epilogue reads. The other
/// parameters are as below.
Descriptor OutputDescriptor(const ConvProblem& problem, const ConvAxes& axes, const PerAxis& stride,
                            const SubGemm& gemm, int merged = 1);

/// One of the multiplications of a valid `problem`, in any direction: `gemm` is one of
/// MakeSubGemms(problem), and `axes` the problem's.
///
/// `merged` groups of forward, which must divide the problem's, make one matrix: m is (image,
/// pixel, group) and n is (group, channel). C exists where both groups are the same, which its
/// descriptor does not say.
GemmDescriptors Lower(const ConvProblem& problem, const ConvAxes& axes, const SubGemm& gemm,
                      int merged = 1);
inline GemmDescriptors Lower(const ConvProblem& problem, const SubGemm& gemm) {
  return Lower(problem, ConvAxes(problem), gemm);
}

}  // namespace gridwise::ck
