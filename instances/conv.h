// SPDX-License-Identifier: MIT
#pragma once

// Deprecated: gridwise/conv.h has it.
#include "gridwise/conv.h"  // IWYU pragma: export
