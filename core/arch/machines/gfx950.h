// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/machine.h"

namespace gridwise::machines {

/// MI355X.
inline constexpr MachineFacts k950 = {
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
};

}  // namespace gridwise::machines
