// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/product.h"

namespace gridwise::products {

/// RX 9070 XT.
inline constexpr Product kRx9070Xt = {
    .name = "RX 9070 XT",
    .full_name = "AMD Radeon RX 9070 XT",
    .processor = "gfx1201",
    .compute_units = 32,
    .xcds = 1,
    .clock_ghz = 2.97,
    .memory_gb_per_s = 640,
    .memory_gib = 16,
    .memory_bus_bits = 256,
    .memory_transfers = 16,
    .machine =
        {
            .sustained_ghz = 2.85,
            .l2_bytes = 8 << 20,
            .l2_bytes_per_clk = 1933,
            .mall_bytes = 64 << 20,
            .mall_gb_per_s = 2940,
            .dram_read_gb_per_s = 464,
            .dram_write_gb_per_s = 464,
            .l2_latency_clk = 205,
            .mall_latency_ns = 160,
            .lds_read_bytes = 128,
            .lds_write_bytes = 128,
            .lds_granule = 1024,
            .registers_of_simd = 1536,
            .register_granule = 24,
            .waves_of_simd = 16,
            .launch_us = 4,
            .gap_us = 4,
        },
};

/// Sources of the facts of gfx1200's products.
inline constexpr std::string_view kRx9060Source =
    "[V origami] rates of L2, Infinity Cache and memory; [A] clock in long runs";

/// Products, the one that the target stands for first.
inline constexpr Product k1201[] = {
    kRx9070Xt,
    Like(kRx9070Xt, {.name = "RX 9070",
                     .full_name = "AMD Radeon RX 9070",
                     .compute_units = 28,
                     .clock_ghz = 2.52}),
    Like(kRx9070Xt, {.name = "RX 9070 GRE",
                     .full_name = "AMD Radeon RX 9070 GRE",
                     .compute_units = 24,
                     .clock_ghz = 2.79,
                     .memory_gb_per_s = 432,
                     .memory_gib = 12,
                     .memory_bus_bits = 192,
                     .l2_bytes = 6 << 20,
                     .l2_bytes_per_clk = 1450,
                     .mall_bytes = 48 << 20,
                     .source = "[A] L2's rate by its size"}),
    Like(kRx9070Xt, {.name = "AI PRO R9700",
                     .other_names = "R9700",
                     .full_name = "AMD Radeon AI PRO R9700",
                     .clock_ghz = 2.92,
                     .memory_gib = 32}),
    Like(kRx9070Xt, {.name = "RX 9060 XT",
                     .full_name = "AMD Radeon RX 9060 XT",
                     .processor = "gfx1200",
                     .compute_units = 16,
                     .clock_ghz = 3.13,
                     .memory_gb_per_s = 320,
                     .memory_gib = 16,
                     .memory_bus_bits = 128,
                     .sustained_ghz = 2.8,
                     .l2_bytes = 4 << 20,
                     .l2_bytes_per_clk = 1050,
                     .mall_bytes = 32 << 20,
                     .mall_gb_per_s = 1770,
                     .dram_read_gb_per_s = 280,
                     .dram_write_gb_per_s = 280,
                     .source = kRx9060Source}),
    Like(kRx9070Xt, {.name = "RX 9060",
                     .full_name = "AMD Radeon RX 9060",
                     .processor = "gfx1200",
                     .compute_units = 14,
                     .clock_ghz = 2.99,
                     .memory_gb_per_s = 288,
                     .memory_gib = 8,
                     .memory_bus_bits = 128,
                     .l2_bytes = 4 << 20,
                     .l2_bytes_per_clk = 1050,
                     .mall_bytes = 32 << 20,
                     .mall_gb_per_s = 1770,
                     .source = kRx9060Source}),
};

}  // namespace gridwise::products
