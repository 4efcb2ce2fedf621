// SPDX-License-Identifier: MIT
#pragma once

#include "tools/sim/tests/item_control.h"
#include "tools/sim/tests/item_floats.h"
#include "tools/sim/tests/item_integers.h"
#include "tools/sim/tests/item_memory.h"
#include "tools/sim/tests/item_numeric_programs.h"
#include "tools/sim/tests/item_text_programs.h"

/// All kernels whose work-items do not see each other (item.h).

/// Applies ROW(name) to every kernel.
// clang-format off: it indents each line of such a list further than the one before.
#define GRIDWISE_ITEM_KERNELS(ROW) \
  GRIDWISE_INTEGER_ITEMS(ROW) \
  GRIDWISE_FLOAT_ITEMS(ROW) \
  GRIDWISE_MEMORY_ITEMS(ROW) \
  GRIDWISE_CONTROL_ITEMS(ROW) \
  GRIDWISE_NUMERIC_PROGRAM_ITEMS(ROW) \
  GRIDWISE_TEXT_PROGRAM_ITEMS(ROW)
// clang-format on
