// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "tools/gridwise/import/line.h"

namespace gridwise {

/// Reads a command line of Composable Kernel's profiler, of its grouped convolutions:
///
///   ckProfiler grouped_conv_fwd TYPE LAYOUT INDEX verify init log time ND SIZES
///   ckProfiler grouped_conv_bwd_data TYPE LAYOUT verify init log time ND SIZES [SPLIT_K]
///   ckProfiler grouped_conv_bwd_weight TYPE LAYOUT verify init log time ND SIZES [SPLIT_K]
///
/// INDEX may be missing, as in older versions. TYPE and LAYOUT are numbers
/// (profiler/src/profile_grouped_conv_*.cpp of Composable Kernel). SIZES are G N K C, then for each
/// of the ND axes the filter, the input, strides, dilations, left pads and right pads. K and C are
/// those of a group.
ImportedLine ReadCkProfiler(std::string_view line);

/// Reads a command line of one of Composable Kernel's examples of convolutions:
///
///   example_grouped_conv_bwd_data_xdl_fp16 verify init time [ND SIZES]
///
/// Without sizes the example's own are meant (examples 09, 20, 30 and 38).
ImportedLine ReadCkExample(std::string_view line);

}  // namespace gridwise
