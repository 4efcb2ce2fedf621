#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "hip/hip_runtime_api.h"

namespace gridwise {

/// Ok for hipSuccess, else one sentence: what was attempted, HIP's description and the error's
/// name.
///
/// `what` completes "cannot ...", e.g. "allocate 4096 bytes of device memory". The code tells
/// callers what to do: kUnavailable when there is no usable device or driver, kResourceExhausted
/// when memory ran out, kInvalidArgument for a value HIP refuses, kInternal for a kernel that
/// failed and for anything else.
absl::Status ToStatus(hipError_t error, absl::string_view what);

}  // namespace gridwise
