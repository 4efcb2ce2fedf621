// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/product.h"

namespace gridwise::products {

/// MI300X.
inline constexpr Product kMi300x = {
    .name = "MI300X",
    .full_name = "AMD Instinct MI300X",
    .processor = "gfx942",
    .compute_units = 304,
    .xcds = 8,
    .clock_ghz = 2.1,
    .memory_gb_per_s = 5300,
    .memory_gib = 192,
    .memory_bus_bits = 8192,
    .memory_transfers = 4,
    .machine =
        {
            .sustained_ghz = 1.2,
            .l2_bytes = 4 << 20,
            .l2_bytes_per_clk = 1697,
            .mall_bytes = 256 << 20,
            .mall_gb_per_s = 6420,
            .dram_read_gb_per_s = 3960,
            .dram_write_gb_per_s = 4420,
            .l2_latency_clk = 288,
            .mall_latency_ns = 234,
            .lds_read_bytes = 128,
            .lds_write_bytes = 73.6,
            .lds_granule = 512,
            .registers_of_simd = 512,
            .register_granule = 8,
            .waves_of_simd = 8,
            .launch_us = 2.7,
            .gap_us = 2.7,
        },
};

/// Products, the one that the target stands for first.
inline constexpr Product k942[] = {
    kMi300x,
    Like(kMi300x, {.name = "MI300A",
                   .full_name = "AMD Instinct MI300A",
                   .compute_units = 228,
                   .xcds = 6,
                   .memory_gib = 128,
                   .l2_bytes_per_clk = 1691,
                   .source = "[M roofline] L2's rate"}),
    Like(kMi300x,
         {.name = "MI308X", .full_name = "AMD Instinct MI308X", .compute_units = 80, .xcds = 4}),
    Like(kMi300x, {.name = "MI325X",
                   .full_name = "AMD Instinct MI325X",
                   .memory_gb_per_s = 6000,
                   .memory_gib = 256}),
};

}  // namespace gridwise::products
