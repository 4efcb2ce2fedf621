// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/target_traits.h"

#ifdef __gfx90a__
#define GRIDWISE_THIS_TARGET k90a
#define GRIDWISE_MMA_TABLE "core/arch/mma/gfx90a.h"
#endif

namespace gridwise::targets {

/// CDNA2. Sources: AMD Instinct MI200 ISA (kernel state, LDS, buffer resources, whose word 3 has
/// the fields of gfx942's); atomics: "Memory Model GFX90A" of LLVM's User Guide for AMDGPU Backend,
/// by which a device-scope (agent) read-modify-write that returns nothing has no policy: glc would
/// ask for the old value.
inline constexpr TargetTraits k90a = {
    .name = "gfx90a",
    .wave_size = 64,
    .lds_bytes = 64 << 10,
    .unit_lds_bytes = 64 << 10,
    .lds_banks = 32,
    .vgprs = 512,
    .simds_per_unit = 4,
    .vector_caches = 1,
    .buffer_format = 0x00027000,
    .atomic_policy = 0,
    .mma_unit = MmaUnit::kMfma,
    .mfma_generation = 2,
    .loads_vectors_to_lds = false,
    .reads_transposed = false,
    .aligned_vectors = false,
};

}  // namespace gridwise::targets
