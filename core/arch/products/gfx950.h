// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/product.h"

namespace gridwise::products {

/// MI355X.
inline constexpr Product kMi355x = {
    .name = "MI355X",
    .full_name = "AMD Instinct MI355X",
    .processor = "gfx950",
    .compute_units = 256,
    .xcds = 8,
    .clock_ghz = 2.4,
    .memory_gb_per_s = 8000,
    .memory_gib = 288,
    .memory_bus_bits = 8192,
    .memory_transfers = 4,
    .machine =
        {
            .sustained_ghz = 1.535,
            .l2_bytes = 4 << 20,
            .l2_bytes_per_clk = 1600,
            .mall_bytes = 256 << 20,
            .mall_gb_per_s = 8500,
            .dram_read_gb_per_s = 6000,
            .dram_write_gb_per_s = 5160,
            .l2_latency_clk = 256,
            .mall_latency_ns = 202,
            .lds_read_bytes = 220,
            .lds_write_bytes = 75.1,
            .lds_granule = 1280,
            .registers_of_simd = 512,
            .register_granule = 8,
            .waves_of_simd = 8,
            .launch_us = 2.7,
            .gap_us = 2.7,
        },
};

/// Products, the one that the target stands for first.
inline constexpr Product k950[] = {
    kMi355x,
    Like(kMi355x, {.name = "MI350X", .full_name = "AMD Instinct MI350X", .clock_ghz = 2.2}),
    Like(kMi355x, {.name = "MI350P",
                   .full_name = "AMD Instinct MI350P",
                   .compute_units = 128,
                   .xcds = 4,
                   .clock_ghz = 2.2,
                   .memory_gb_per_s = 4000,
                   .memory_gib = 144,
                   .memory_bus_bits = 4096,
                   .l2_bytes_per_clk = 1524,
                   .mall_bytes = 128 << 20,
                   .dram_read_gb_per_s = 2630,
                   .dram_write_gb_per_s = 2261,
                   .source = "[M mt4g] L2's and memory's rates"}),
};

}  // namespace gridwise::products
