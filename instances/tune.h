// SPDX-License-Identifier: MIT
#pragma once

// Deprecated: gridwise/tune.h has it.
#include "gridwise/tune.h"  // IWYU pragma: export
