// SPDX-License-Identifier: MIT
#pragma once

#include "core/cost/cost.h"

namespace gridwise {

/// What an estimate takes longest for, for people:
///
///   "power"          the matrix units' work at the power that there is
///   "device memory"  each tensor once
///   "launches"       the first launch itself, and the passes before and after
///   "matrix unit", "LDS", "L2"   of the main loop, as in Cost
///   "latency"        waits of the main loop that too few workgroups hide
///   "start and end"  launch, prologue and output of workgroups
///   "instructions"   vector and scalar ones
const char* Limiter(const Cost& cost);

}  // namespace gridwise
