// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/target_traits.h"

// gfx1250 and later processors of GFX12 are not here: they have other matrix instructions.
#if defined(__gfx1200__) || defined(__gfx1201__) || defined(__gfx12_generic__)
#define GRIDWISE_THIS_TARGET k1201
#define GRIDWISE_MMA_TABLE "core/arch/mma/gfx1201.h"
#endif

namespace gridwise::targets {

/// RDNA4. Sources: AMD RDNA4 ISA (kernel state, LDS, buffer resources). A unit is a workgroup
/// processor. The scope of atomics is a field of the instruction at bit 3 of the policy: 0 is
/// the compute unit, 2 (SCOPE_DEV) the device. See "Memory Model gfx12" of LLVM's User Guide
/// for AMDGPU Backend.
inline constexpr TargetTraits k1201 = {
    .name = "gfx1201",
    .wave_size = 32,
    .lds_bytes = 64 << 10,
    .unit_lds_bytes = 128 << 10,
    .lds_banks = 32,
    .vgprs = 256,
    .simds_per_unit = 4,
    .vector_caches = 2,
    .buffer_format = 0x31004000,
    .atomic_policy = 2 << 3,
    .mma_unit = MmaUnit::kWmma12,
    .mfma_generation = 0,
    .loads_vectors_to_lds = false,
    .reads_transposed = false,
    .aligned_vectors = false,
};

}  // namespace gridwise::targets
