// SPDX-License-Identifier: MIT
#pragma once

// Deprecated: gridwise/executable.h has it.
#include "gridwise/executable.h"  // IWYU pragma: export
