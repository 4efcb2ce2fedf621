// SPDX-License-Identifier: MIT
#pragma once

// Deprecated: gridwise/plan_cache.h has it.
#include "gridwise/plan_cache.h"  // IWYU pragma: export
