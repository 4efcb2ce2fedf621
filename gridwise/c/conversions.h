#pragma once

#include <initializer_list>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/device_facts.h"
#include "core/conv/problem.h"
#include "gridwise/c/gridwise.h"
#include "gridwise/conv.h"

/// Conversions between the C API's values and the library's.

namespace gridwise {

/// Returns the calling thread's message (gridwise_message()).
std::string& Message();
/// Stores the message of an error for gridwise_message(). Returns the status in C.
gridwise_status Report(const absl::Status& status);

/// A pointer from the caller, with its name in the header.
struct Given {
  const char* name;
  const void* pointer;
};
/// Returns an error that names the first null pointer, if there is one.
absl::Status CheckGiven(std::initializer_list<Given> all);

/// Returns the problem, or an error if it is not valid.
absl::StatusOr<ConvProblem> ProblemOf(const gridwise_conv_problem* from);
/// Returns the facts of `target`, or of the current device if `target` is null.
absl::StatusOr<DeviceFacts> DeviceOf(const char* target);
PlanOptions OptionsOf(const gridwise_plan_options* from);
ConvTensors TensorsOf(const gridwise_tensors& from);

}  // namespace gridwise
