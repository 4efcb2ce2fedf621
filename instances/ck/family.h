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

/// The instances of the family for matrix multiplications, which they get as forward convolutions
/// (core/gemm/convolution.h). Plans of convolutions do not choose from this family.
const KernelFamily& Gemms();

/// The kernels of all its instances that plans choose from, each once.
std::span<const CompiledKernel> Kernels(Gfx gfx);

}  // namespace gridwise::ck
