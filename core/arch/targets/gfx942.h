// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/target_traits.h"

#ifdef __gfx942__
#define GRIDWISE_THIS_TARGET k942
#define GRIDWISE_MMA_TABLE "core/arch/mma/gfx942.h"
#endif

namespace gridwise::targets {

/// CDNA3. Sources: AMD CDNA3 ISA (kernel state, LDS, buffer resources);
/// atomics: "Memory Model gfx942" of LLVM's User Guide for AMDGPU Backend, by which a device-scope
/// (agent) read-modify-write that returns nothing has sc1 = 0, and sc0 would ask for the old value.
inline constexpr TargetTraits k942 = {
    .name = "gfx942",
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
    .mfma_generation = 3,
    .loads_vectors_to_lds = false,
    .reads_transposed = false,
    .aligned_vectors = false,
};

}  // namespace gridwise::targets
