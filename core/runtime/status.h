// SPDX-License-Identifier: MIT
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "hip/hip_runtime_api.h"

namespace gridwise {

/// Ok for hipSuccess, else one sentence: what was attempted, HIP's description and the error's
/// name.
///
/// `what` completes "cannot ...", e.g. "allocate 4096 bytes of device memory". The code tells
/// callers what to do: kUnavailable if there is no usable device or driver, kResourceExhausted if
/// memory ran out, kInvalidArgument for a value that HIP refuses, and kInternal for a kernel that
/// failed and for anything else.
absl::Status ToStatus(hipError_t error, absl::string_view what);

}  // namespace gridwise
