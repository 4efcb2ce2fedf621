// SPDX-License-Identifier: MIT
#pragma once

#include "absl/status/status.h"

namespace gridwise {

/// The program's exit status.
enum ExitCode : int {
  kSuccess = 0,
  kVerificationFailed = 1,  // it ran, and the result is wrong
  kBadUsage = 2,            // a bad flag, file, problem or plan
  kDeviceError = 3,         // there is no device, or it failed
};

/// Prints the message of an error to stderr, after flushing stdout, and returns `code`.
ExitCode Fail(const absl::Status& status, ExitCode code = kBadUsage);

}  // namespace gridwise
