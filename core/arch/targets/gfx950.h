// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/target_traits.h"

#ifdef __gfx950__
#define GRIDWISE_THIS_TARGET k950
#define GRIDWISE_MMA_TABLE "core/arch/mma/gfx950.h"
#endif

namespace gridwise::targets {

/// CDNA4. Sources: AMD CDNA4 ISA (kernel state, LDS, buffer resources); atomics
/// as on gfx942, by the same document.
inline constexpr TargetTraits k950 = {
    .name = "gfx950",
    .wave_size = 64,
    .lds_bytes = 160 << 10,
    .unit_lds_bytes = 160 << 10,
    .lds_banks = 64,
    .vgprs = 512,
    .simds_per_unit = 4,
    .vector_caches = 1,
    .buffer_format = 0x00027000,
    .atomic_policy = 0,
    .mma_unit = MmaUnit::kMfma,
    .mfma_generation = 4,
    .loads_vectors_to_lds = true,
    .reads_transposed = true,
    .aligned_vectors = false,
};

}  // namespace gridwise::targets
