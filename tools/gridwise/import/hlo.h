// SPDX-License-Identifier: MIT
#pragma once

#include "tools/gridwise/import/line.h"

namespace gridwise {

/// Reads the text of a module of XLA, as --xla_dump_to writes it, an instruction a line:
///
///   %y = bf16[8,28,28,128]{3,2,1,0} convolution(%x, %w), window={size=3x3 stride=2x2 pad=0_1x0_1},
///        dim_labels=b01f_01io->b01f, feature_group_count=2
///   %r = (f16[8,64,56,56]{1,3,2,0}, u8[0]{0}) custom-call(%dy, %w), window={...}, dim_labels=...,
///        custom_call_target="__cudnn$convBackwardInput"
///
/// Shapes of operands are in the line or in that of the operand. The reader keeps those of the
/// lines before.
LineReader HloReader();

}  // namespace gridwise
