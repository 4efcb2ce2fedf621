// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/device_facts.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/gemm/problem.h"
#include "core/runtime/device.h"
#include "gridwise/c/gridwise.h"
#include "gridwise/c/gridwise_gemm.h"
#include "gridwise/conv.h"

/// Conversions between the C API's values and the library's.

namespace gridwise {

/// Returns the calling thread's message (gridwise_message()).
const char* Message();
/// Stores the message of an error for gridwise_message(). Returns the status in C.
gridwise_status Report(const absl::Status& status);
/// The same for a message that lives as long as the program. Allocates nothing.
gridwise_status ReportLiteral(gridwise_status status, const char* message);

/// A pointer from the caller, with its name in the header.
struct Given {
  const char* name;
  const void* pointer;
};
/// Returns an error that names the first null pointer, if there is one.
absl::Status CheckGiven(std::initializer_list<Given> all);

/// What the _init functions of the header set.
gridwise_conv_problem DefaultProblem();
gridwise_gemm_problem DefaultGemm();
gridwise_plan_options DefaultOptions();

/// Sets a caller's struct of `size` bytes to `defaults`, as far as it goes.
template <class Struct>
void Initialize(const Struct& defaults, Struct* to, std::size_t size) {
  std::memcpy(to, &defaults, std::min(size, sizeof(Struct)));
  to->size = size;
}

/// The error for a struct whose size neither this version nor an earlier one has.
absl::Status WrongSize(const char* name, std::size_t size, std::size_t least, std::size_t most);

/// Returns the problem, or an error if it is not valid.
absl::StatusOr<ConvProblem> ConvertProblem(const gridwise_conv_problem* from);
absl::StatusOr<GemmProblem> ConvertGemm(const gridwise_gemm_problem* from);
/// Returns the type of GRIDWISE_F16, ...; an error that names `field` for any other number.
absl::StatusOr<DataType> ConvertType(const char* field, int32_t type);
/// Returns the facts of `target`, a target, processor or product (core/text/parse_device.h), or of
/// the current device if `target` is null.
absl::StatusOr<DeviceFacts> ConvertDevice(const char* target);

/// Returns the first device that is `target`, by the same names.
absl::StatusOr<DeviceInfo> FindDeviceOf(const char* target);
absl::StatusOr<PlanOptions> ConvertOptions(const gridwise_plan_options* from);
absl::StatusOr<ConvTensors> ConvertTensors(const gridwise_tensors* from);

/// The struct that a caller gave by the header of this version or an earlier one, whose struct had
/// at least `least` bytes: fields that the caller does not know are those of `defaults`.
template <class Struct>
absl::StatusOr<Struct> Grown(const char* name, const Struct* from, std::size_t least,
                             Struct defaults) {
  if (absl::Status status = CheckGiven({{name, from}}); !status.ok()) return status;
  const std::size_t size = from->size;
  if (size < least || size > sizeof(Struct)) return WrongSize(name, size, least, sizeof(Struct));
  std::memcpy(&defaults, from, size);
  defaults.size = sizeof(Struct);
  return defaults;
}

}  // namespace gridwise
