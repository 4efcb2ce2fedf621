// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "tools/gridwise/import/line.h"

namespace gridwise {

/// Reads a line of MIOpen's find-db, user find-db or perf-db (text form), or a key of them alone:
///
///   C-[D-]H-W-[ZxY]xX-K-[D-]H-W-N-pads-strides-dilations-bias-LAYOUT-TYPE-DIR[_gG]=...
///   64-56-56-3x3-128-28-28-32-1x1-2x2-1x1-0-NHWC-NHWC-NHWC-FP16-F_g2=...
///
/// (problem_description.cpp of MIOpen). Sizes along axes are joined by x. LAYOUT is one name, or
/// three of x, w and y. The first C, H, W are those of the direction's first operand: of x in
/// forward (F), and of dy in backward-data (B) and backward-weight (W).
ImportedLine ReadMIOpenFindDb(std::string_view line);

}  // namespace gridwise
