// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "ck/gemm/config.h"
#include "ck/ops/op.h"
#include "core/launch/part_kernel.h"

namespace gridwise::ck {

/// Returns nullptr if instances of `op` can have kernels of `config`, which is valid, else the
/// reason.
constexpr const char* Reject(Op op, const GemmConfig& config) {
  if (op == Op::kWaveletV3 && !config.is_wavelet()) {
    return "the op is wavelet and its schedule is another one: no waves would only load";
  }
  return nullptr;
}

/// An instance of the classic family, for PartsFamily: a GEMM kernel that multiplies the views to
/// which a convolution is lowered. Its name is the op's, '_', and its config's.
///
/// All ops share this kernel; an op's instances determine its use. The sums of two_stage are f32,
/// which a pass finishes.
std::shared_ptr<const PartKernel> MakeKernel(Op op, const GemmConfig& config, KernelCode code);

}  // namespace gridwise::ck
