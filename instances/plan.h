// SPDX-License-Identifier: MIT
#pragma once

// Deprecated: gridwise/plan.h has it.
#include "gridwise/plan.h"  // IWYU pragma: export
