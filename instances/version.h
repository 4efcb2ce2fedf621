// SPDX-License-Identifier: MIT
#pragma once

// Deprecated: gridwise/version.h has it.
#include "gridwise/version.h"  // IWYU pragma: export
