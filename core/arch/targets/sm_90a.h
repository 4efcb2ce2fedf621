// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/target_traits.h"

#ifdef __NVPTX__
#define GRIDWISE_THIS_TARGET kSm90a
#endif

namespace gridwise::targets {

/// H100. Sources: NVIDIA's CUDA C++ Programming Guide (compute capability 9.0) and the data sheet.
inline constexpr TargetTraits kSm90a = {
    .name = "sm_90a",
    .product = "H100 SXM",
    .wave_size = 32,
    .lds_bytes = 227 << 10,
    .unit_lds_bytes = 227 << 10,
    .lds_banks = 32,
    .vgprs = 255,
    .compute_units = 132,
    .xcds = 1,
    .simds_per_unit = 4,
    .vector_caches = 1,
    .clock_ghz = 1.98,
    .memory_gb_per_s = 3350,
    .memory_gib = 80,
    .memory_transfers = 2,
    .buffer_format = 0,
    .atomic_policy = 0,
    .mma_unit = MmaUnit::kWgmma,
    .mma_double_k = false,
    .loads_vectors_to_lds = false,
    .reads_transposed = false,
    .aligned_vectors = true,
};

}  // namespace gridwise::targets
