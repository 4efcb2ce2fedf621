#pragma once

#include "absl/status/status.h"
#include "gridwise/plan.h"
#include "tools/gridwise/problem/problem.h"

namespace gridwise {

/// Whether there is memory to compute `problem` by `plan`: on the device for its tensors and
/// workspace, and on the host for operands and result, for the reference if it is computed as well,
/// and for a device that is simulated. Else kResourceExhausted, with what is needed of each and
/// what there is, before anything is allocated.
absl::Status CheckMemory(const Problem& problem, const InstancePlan& plan, bool verify);

}  // namespace gridwise
