// SPDX-License-Identifier: MIT
#pragma once

#include "core/conv/gemm_map.h"
#include "tile/config.h"
#include "tile/gather_args.h"

namespace gridwise::tile {

/// The strips of a phase of `rows` x `columns` pixels with the given taps along h and w and number
/// of images, for workgroups of `run` tiles. Their pitch is 0 if LDS cannot hold the pixels of a
/// single column.
Strips DivideIntoStrips(const TileConfig& config, int rows, int columns, int all_taps_h,
                        int all_taps_w, int images, int run);
/// The strips of a sub-GEMM's phase.
Strips DivideIntoStrips(const TileConfig& config, const SubGemm& gemm, int run);

}  // namespace gridwise::tile
