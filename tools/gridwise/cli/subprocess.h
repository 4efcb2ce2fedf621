// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace gridwise {

/// How a program ended.
struct Ending {
  int status = 0;          // exit status; -1 if it did not exit
  int signal = 0;          // signal that ended it; 0: none
  bool is_late = false;    // it was killed at its time limit
  double limit_s = 0;      // time limit
  double seconds = 0;      // from the start, or from the last line that was written to it
  std::string last_words;  // the last 1000 bytes, at most, of its stderr since then

  /// Returns "exited with status 2", "died of signal 11 (Segmentation fault)" or "did not end
  /// within 30 s".
  std::string ToString() const;
};

/// A program that answers lines on its stdin with lines on its stdout, and may crash or hang.
class Subprocess {
 public:
  /// Starts a program. The first argument is its path, or its name on PATH. It has `limit_s`
  /// seconds until the next WriteLine, or else until it has ended.
  static absl::StatusOr<std::unique_ptr<Subprocess>> Start(
      const std::vector<std::string>& arguments, double limit_s);
  Subprocess(const Subprocess&) = delete;
  /// Kills the program, together with the processes that it started, unless it has ended.
  ~Subprocess();

  /// Writes a line to its stdin. It has `limit_s` seconds for this line.
  void WriteLine(std::string_view line, double limit_s);
  /// Returns the next line of its stdout, without the newline. Returns nullopt if there is none
  /// within the time limit, or if the program ends first.
  std::optional<std::string> ReadLine();
  /// Closes its stdin, discards its stdout and waits for its end. If it has not ended at the time
  /// limit, it is killed, together with the processes that it started.
  Ending Wait();

 private:
  using Clock = std::chrono::steady_clock;

  Subprocess(pid_t child, int stdio, int error) : child_(child), stdio_(stdio), error_(error) {}
  void SetLimit(double limit_s);
  /// Waits for something to read, and reads it. Returns false at the time limit, or if the program
  /// has closed both streams.
  bool Read();
  /// Waits until the program has ended. Returns false if the time limit comes first.
  bool WaitForEnd(int& status);
  void Kill(int& status);

  pid_t child_;  // 0 if it has ended
  int stdio_;    // its stdin and stdout; -1 if closed
  int error_;    // its stderr; -1 if closed
  double limit_s_ = 0;
  Clock::time_point start_, end_;
  std::string out_;         // what was read of stdout, behind the last line that was returned
  std::string last_words_;  // the end of what was read of stderr since start_
};

/// Runs a program with an empty stdin, and waits for it. Its stdout is discarded.
absl::StatusOr<Ending> RunProgram(const std::vector<std::string>& arguments, double limit_s);

}  // namespace gridwise
