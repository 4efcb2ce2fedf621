// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "ck/ops/views.h"
#include "core/arch/target.h"
#include "core/planning/family.h"

namespace gridwise::ck {

/// The classic family with the instances of this folder's <target>.inc. Lives as long as the
/// program.
const KernelFamily& Family();

/// Its instances for matrix multiplications, which are told of them as of forward convolutions
/// (core/gemm/convolution.h). No family that plans of convolutions choose from.
const KernelFamily& Gemms();

/// The kernels of all its instances that plans choose from, each once.
std::span<const CompiledKernel> Kernels(Gfx gfx);

}  // namespace gridwise::ck
