#pragma once

#include <cstdio>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "tools/gridwise/sweep/sweep_items.h"
#include "tools/gridwise/sweep/sweep_options.h"
#include "tools/gridwise/sweep/sweep_table.h"

namespace gridwise {

/// The time of an instance for a problem, in ms, if it was timed.
using TimeOfInstance =
    absl::FunctionRef<std::optional<double>(const SweepItem&, const InstanceChoice&)>;

/// Tells people how a sweep goes, and at the end what it came to.
class SweepReport {
 public:
  SweepReport(const SweepOptions& options, std::FILE* people)
      : options_(options), people_(people) {}

  /// There is a run more, with so many operations left to be computed.
  void Expect(double flops) {
    ++runs_;
    flops_left_ += flops;
  }
  /// The next run was done earlier.
  void SkipRun(SweepRecord::Result earlier);
  /// The next run was done in so many seconds of the sweep.
  void EndRun(const SweepRecord& record, double flops, double seconds);

  // Of --best, where a run is a problem, on all of its instances.

  void CountInstance(const SweepRecord& record);
  /// `told`: of the instances that were not timed earlier, the best one's, or where there is none
  /// an error.
  void EndBest(const std::optional<SweepRecord>& told, bool has_time, double seconds);

  /// Whether every run passed, now or earlier.
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
  int counts_[6] = {};                                 // of runs, by Result
  int instances_timed_ = 0, instances_ruled_out_ = 0;  // of --best
  // Of this program.
  std::vector<SweepRecord> times_;
  double done_ = 0, flops_done_ = 0, flops_left_ = 0, seconds_ = 0;
};

}  // namespace gridwise
