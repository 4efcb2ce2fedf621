// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/target_traits.h"

#ifdef __NVPTX__
#define GRIDWISE_THIS_TARGET kSm90a
#endif

namespace gridwise::targets {

/// Hopper. Source: NVIDIA's CUDA C++ Programming Guide (compute capability 9.0).
inline constexpr TargetTraits kSm90a = {
    .name = "sm_90a",
    .wave_size = 32,
    .lds_bytes = 227 << 10,
    .unit_lds_bytes = 227 << 10,
    .lds_banks = 32,
    .vgprs = 255,
    .simds_per_unit = 4,
    .vector_caches = 1,
    .buffer_format = 0,
    .atomic_policy = 0,
    .mma_unit = MmaUnit::kWgmma,
    .mfma_generation = 0,
    .loads_vectors_to_lds = false,
    .reads_transposed = false,
    .aligned_vectors = true,
};

}  // namespace gridwise::targets
