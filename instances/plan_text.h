// SPDX-License-Identifier: MIT
#pragma once

// Deprecated: gridwise/plan_text.h has it.
#include "gridwise/plan_text.h"  // IWYU pragma: export
