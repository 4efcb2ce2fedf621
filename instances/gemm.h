// SPDX-License-Identifier: MIT
#pragma once

// Deprecated: gridwise/gemm.h has it.
#include "gridwise/gemm.h"  // IWYU pragma: export
