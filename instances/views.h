// SPDX-License-Identifier: MIT
#pragma once

// Deprecated: gridwise/views.h has it.
#include "gridwise/views.h"  // IWYU pragma: export
