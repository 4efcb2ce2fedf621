// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gridwise {

/// How a program ended.
struct Ending {
  int status = 0;          // exit status; -1 if it did not exit
  int signal = 0;          // signal that ended it; 0: none
  bool is_late = false;    // it was killed at its time limit
  double limit_s = 0;      // time limit
  double seconds = 0;      // run time
  std::string last_words;  // the last 1000 bytes, at most, of its stderr

  /// Returns "exited with status 2", "died of signal 11 (Segmentation fault)" or "did not end
  /// within 30 s".
  std::string ToString() const;
};

/// Runs a program and waits for it. The first argument is its path, or its name on PATH. Its stdout
/// is discarded. If it has not ended after `limit_s` seconds, it is killed, together with the
/// processes that it started.
absl::StatusOr<Ending> RunProgram(const std::vector<std::string>& arguments, double limit_s);

}  // namespace gridwise
