#pragma once

#include <initializer_list>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/device_facts.h"
#include "core/conv/problem.h"
#include "gridwise/c/gridwise.h"
#include "gridwise/conv.h"

/// The library's values of what callers in C give, and the C API's of what it answers.

namespace gridwise {

/// The calling thread's, see gridwise_message().
std::string& Message();
/// Remembers an error's message.
gridwise_status Report(const absl::Status& status);

/// A pointer that a caller gave, by the name that the header has for it.
struct Given {
  const char* name;
  const void* pointer;
};
/// An error that names the first that is null.
absl::Status CheckGiven(std::initializer_list<Given> all);

/// A problem that is valid.
absl::StatusOr<ConvProblem> ProblemOf(const gridwise_conv_problem* from);
/// A target's, or the current device's.
absl::StatusOr<DeviceFacts> DeviceOf(const char* target);
PlanOptions OptionsOf(const gridwise_plan_options* from);
ConvTensors TensorsOf(const gridwise_tensors& from);

}  // namespace gridwise
