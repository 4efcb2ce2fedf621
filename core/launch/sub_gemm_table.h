#pragma once

#include "core/conv/gemm_map.h"

namespace gridwise {

/// Sub-GEMMs whose descriptors travel in the kernel arguments; more of them are read from device
/// memory.
inline constexpr int kInlineSubGemms = 16;

}  // namespace gridwise
