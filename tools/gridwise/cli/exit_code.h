#pragma once

#include "absl/status/status.h"

namespace gridwise {

/// What the program's exit status tells a script.
enum ExitCode : int {
  kSuccess = 0,
  kVerificationFailed = 1,  // it ran, and the result is wrong
  kBadUsage = 2,            // a flag, a file, the problem or its plan
  kDeviceError = 3,         // no device, or one that failed
};

/// Prints the sentence of an error to stderr, behind what stdout has been given, and returns
/// `code`.
ExitCode Fail(const absl::Status& status, ExitCode code = kBadUsage);

}  // namespace gridwise
