// SPDX-License-Identifier: MIT
#include "core/runtime/status.h"

#include "absl/strings/str_cat.h"

namespace gridwise {
namespace {

absl::StatusCode CodeOf(hipError_t error) {
  switch (error) {
    case hipErrorNoDevice:
    case hipErrorInsufficientDriver:
    case hipErrorNotInitialized:
    case hipErrorInvalidDevice:
      return absl::StatusCode::kUnavailable;
    case hipErrorOutOfMemory:
      return absl::StatusCode::kResourceExhausted;
    case hipErrorInvalidValue:
    case hipErrorInvalidConfiguration:
    case hipErrorInvalidImage:
    case hipErrorNoBinaryForGpu:
      return absl::StatusCode::kInvalidArgument;
    case hipErrorNotFound:
      return absl::StatusCode::kNotFound;
    default:
      return absl::StatusCode::kInternal;
  }
}

}  // namespace

absl::Status ToStatus(hipError_t error, absl::string_view what) {
  if (error == hipSuccess) return absl::OkStatus();
  if (error == hipErrorNoDevice || error == hipErrorInsufficientDriver) {
    return absl::UnavailableError(absl::StrCat(
        "cannot ", what, ": the HIP runtime finds no usable GPU and driver on this machine (",
        hipGetErrorName(error), ")"));
  }
  return absl::Status(CodeOf(error), absl::StrCat("cannot ", what, ": ", hipGetErrorString(error),
                                                  " (", hipGetErrorName(error), ")"));
}

}  // namespace gridwise
