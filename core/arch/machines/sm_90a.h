// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/machine.h"

namespace gridwise::machines {

/// H100 SXM. Sources: the data sheet, a gap between launches that fits measurements, and 0 for what
/// is not known.
inline constexpr MachineFacts kSm90a = {
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
    .lds_granule = 128,
    .registers_of_simd = 512,
    .register_granule = 8,
    .waves_of_simd = 16,
    .launch_us = 0,
    .gap_us = 1.54,
};

}  // namespace gridwise::machines
