// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <optional>

#include "absl/status/status.h"
#include "core/arch/target.h"
#include "core/reference/expected.h"
#include "gridwise/plan.h"
#include "tools/gridwise/run/computation.h"
#include "tools/gridwise/sweep/sweep_items.h"
#include "tools/gridwise/sweep/sweep_options.h"
#include "tools/gridwise/sweep/sweep_table.h"

namespace gridwise {

/// Returns the record of a run, without its result.
SweepRecord MakeRecord(const SweepOptions& options, const DeviceFacts& device,
                       const SweepItem& item, const InstanceChoice& instance);

/// Returns whether times come from the smallest sample.
bool IsQuick(const SweepOptions& options);

/// Runs a problem in this process, always on the same operands.
class SweepRuns {
 public:
  SweepRuns(const SweepOptions& options, const DeviceFacts& device, const SweepItem& item)
      : options_(options), device_(device), item_(item) {}

  /// Runs the problem on an instance. Returns its record, even if the run failed. Stops timing an
  /// instance that certainly exceeds the limit; its result is then kSlower.
  SweepRecord Run(const InstanceChoice& instance,
                  double limit_ms = std::numeric_limits<double>::infinity());

 private:
  absl::Status Time(const InstancePlan& plan, double limit_ms, SweepRecord& record) const;
  absl::Status Compute(const InstancePlan& plan, SweepRecord& record);
  absl::Status Verify(const Outcome& outcome, SweepRecord& record);

  const SweepOptions& options_;
  const DeviceFacts device_;
  const SweepItem& item_;
  std::optional<Operands> operands_;
  std::optional<Expected> expected_;
};

}  // namespace gridwise
