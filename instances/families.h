// SPDX-License-Identifier: MIT
#pragma once

// Deprecated: gridwise/families.h has it.
#include "gridwise/families.h"  // IWYU pragma: export
