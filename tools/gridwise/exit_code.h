#pragma once

namespace gridwise {

/// What the program's exit status tells a script.
enum ExitCode : int {
  kSuccess = 0,
  kVerificationFailed = 1,  // it ran, and the result is wrong
  kBadUsage = 2,            // a flag, a file, the problem or its plan
  kDeviceError = 3,         // no device, or one that failed
};

}  // namespace gridwise
