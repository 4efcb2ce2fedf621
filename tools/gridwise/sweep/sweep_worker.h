// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/gridwise/cli/subprocess.h"

namespace gridwise {

/// A process that does runs of a sweep one after the other, so that a crash or a hang affects only
/// one line of the table. The run after such a one has a new process.
class SweepWorker {
 public:
  /// `sweep` is the program with the flags of the sweep. The process is started by the first run.
  explicit SweepWorker(std::vector<std::string> sweep);
  SweepWorker(const SweepWorker&) = delete;
  ~SweepWorker() { End(); }

  /// Does a run, by its number among all runs of the sweep. Returns the line of its table, without
  /// the newline. Returns kAborted if the process wrote no line within `limit_s` seconds; the
  /// message says how it ended.
  absl::StatusOr<std::string> Run(std::size_t number, double limit_s);
  /// Ends the process; the next run has a new one.
  void End();

 private:
  const std::vector<std::string> arguments_;
  std::unique_ptr<Subprocess> process_;
};

}  // namespace gridwise
