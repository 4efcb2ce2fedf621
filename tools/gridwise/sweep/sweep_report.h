// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "tools/gridwise/sweep/sweep_items.h"
#include "tools/gridwise/sweep/sweep_options.h"
#include "tools/gridwise/sweep/sweep_table.h"

namespace gridwise {

/// Returns the time of an instance for a problem, in ms, if it was timed.
using TimeOfInstance =
    absl::FunctionRef<std::optional<double>(const SweepItem&, const InstanceChoice&)>;

/// Prints the progress of a sweep for people, and finally a summary.
class SweepReport {
 public:
  SweepReport(const SweepOptions& options, std::FILE* people)
      : options_(options), people_(people) {}

  /// Adds a run that is expected, with `flops` operations.
  void Expect(double flops) {
    ++runs_;
    flops_left_ += flops;
  }
  /// Skips the next run, which was done earlier.
  void SkipRun(SweepRecord::Result earlier);
  /// Reports that the next run was done and took `seconds` of the sweep.
  void EndRun(const SweepRecord& record, double flops, double seconds);

  // For --best, where a run is a problem on all of its instances.

  void CountInstance(const SweepRecord& record);
  /// `told` is the record of the best instance that was not timed earlier, or an error if there is
  /// none.
  void EndBest(const std::optional<SweepRecord>& told, bool has_time, double seconds);

  /// Prints the summary. Returns whether every run passed, now or earlier.
  bool PrintSummary(const std::vector<SweepItem>& items, TimeOfInstance time_of_row) const;

 private:
  void Tell(const SweepRecord& record, double seconds);
  int& CountOf(SweepRecord::Result result) { return counts_[static_cast<int>(result)]; }
  void PrintLayers(const std::vector<SweepItem>& items) const;
  void PrintTimes() const;
  void PrintBest(const std::vector<SweepItem>& items, TimeOfInstance time_of_row) const;

  const SweepOptions& options_;
  std::FILE* const people_;
  int runs_ = 0, position_ = 0, earlier_ = 0;
  int counts_[6] = {};                                 // number of runs by Result
  int instances_timed_ = 0, instances_ruled_out_ = 0;  // for --best
  // Runs of this process.
  std::vector<SweepRecord> times_;
  double done_ = 0, flops_done_ = 0, flops_left_ = 0, seconds_ = 0;
};

}  // namespace gridwise
