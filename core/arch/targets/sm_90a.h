#pragma once

#include "core/arch/target_traits.h"

#ifdef __NVPTX__
#define GRIDWISE_THIS_TARGET kSm90a
#endif

namespace gridwise::targets {

/// H100. Sources: NVIDIA's CUDA C++ Programming Guide (compute capability 9.0) and the data sheet;
/// a gap between launches that fits measurements, and 0 for what is not known.
inline constexpr TargetTraits kSm90a = {
    .name = "sm_90a",
    .product = "H100 SXM",
    .wave_size = 32,
    .lds_bytes = 227 << 10,
    .lds_banks = 32,
    .vgprs = 255,
    .compute_units = 132,
    .dies = 1,
    .simds_per_unit = 4,
    .clock_ghz = 1.98,
    .memory_gb_per_s = 3350,
    .memory_transfers = 2,
    .buffer_format = 0,
    .atomic_policy = 0,
    .mma_unit = MmaUnit::kWgmma,
    .mma_double_k = false,
    .loads_chunks_to_lds = false,
    .reads_transposed = false,
    .aligned_vectors = true,
    .machine =
        {
            .sustained_ghz = 1.98,
            .l2_bytes = 50 << 20,
            .l2_bytes_per_clk = 0,
            .mall_bytes = 0,
            .mall_gb_per_s = 0,
            .dram_read_gb_per_s = 3350,
            .dram_write_gb_per_s = 3350,
            .l2_latency_clk = 0,
            .mall_latency_ns = 0,
            .lds_read_bytes = 128,
            .lds_write_bytes = 128,
            .launch_us = 0,
            .gap_us = 1.54,
        },
};

}  // namespace gridwise::targets
