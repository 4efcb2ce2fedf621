// SPDX-License-Identifier: MIT
#pragma once

#include "core/conv/gemm_map.h"

namespace gridwise {

/// Maximum number of sub-GEMMs whose descriptors are in the kernel arguments; with more, all are
/// read from device memory.
inline constexpr int kInlineSubGemms = 16;

}  // namespace gridwise
