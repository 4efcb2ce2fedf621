#pragma once

#include <memory>

#include "ck/gemm/config.h"
#include "ck/ops/op.h"
#include "core/launch/part_kernel.h"

namespace gridwise::ck {

/// A row of the classic family, for PartsFamily: a GEMM kernel that multiplies the views which a
/// convolution is lowered to. Its name is the op's, '_', and its config's.
///
/// All ops are this kernel. Some take less than it can, and refuse the rest with a sentence:
///
///   op            what it is                          what it refuses
///   two_stage     sums are f32, and a pass finishes   nothing
///   explicit      rows of plain matrices              whatever has padding, strides or several
///   taps wavelet       rows with load waves                nothing batched_gemm  rows of plain
///   matrices              no family of convolutions has it
std::shared_ptr<const PartKernel> MakeKernel(Op op, const GemmConfig& config, KernelCode code);

}  // namespace gridwise::ck
