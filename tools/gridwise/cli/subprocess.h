#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gridwise {

/// How a program ended.
struct Ending {
  int status = 0;          // that it exited with; -1 if it did not
  int signal = 0;          // that it died of; 0: of none
  bool is_late = false;    // it was killed, at its time limit
  double limit_s = 0;      // within which it had to end
  double seconds = 0;      // from its start to its end
  std::string last_words;  // the end of what it wrote to stderr, at most 1000 bytes

  /// "exited with status 2", "died of signal 11 (Segmentation fault)" or "did not end within 30 s".
  std::string ToString() const;
};

/// Runs a program, whose path, or name on PATH, comes first, and waits for it. What it writes to
/// stdout is lost. If it has not ended after `limit_s` seconds, it is killed, with the processes
/// that it started.
absl::StatusOr<Ending> RunProgram(const std::vector<std::string>& arguments, double limit_s);

}  // namespace gridwise
