// SPDX-License-Identifier: MIT
#pragma once

#include "absl/status/status.h"
#include "gridwise/plan.h"
#include "tools/gridwise/problem/problem.h"

namespace gridwise {

/// Checks, before anything is allocated, that there is enough memory to compute `problem` by
/// `plan`:
///   - on the device, for the tensors and the workspace
///   - on the host, for the operands and the result; if `verify`, for the reference; and for the
///     memory of a simulated device
///
/// Errors: kResourceExhausted, with the needed and the available memory.
absl::Status CheckMemory(const Problem& problem, const InstancePlan& plan, bool verify);

}  // namespace gridwise
