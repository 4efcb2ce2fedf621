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

/// The record of a run, but for what comes of it.
SweepRecord RecordOf(const SweepOptions& options, Gfx gfx, const SweepItem& item,
                     const InstanceChoice& instance);

/// Whether times are of the smallest sample.
bool IsQuick(const SweepOptions& options);

/// A problem's runs in this process, on the same operands.
class SweepRuns {
 public:
  SweepRuns(const SweepOptions& options, Gfx gfx, const SweepItem& item)
      : options_(options), gfx_(gfx), item_(item) {}

  /// The record of a run, whatever came of it. A time that is sure to be above the limit is given
  /// up: then the instance is slower than another.
  SweepRecord Run(const InstanceChoice& instance,
                  double limit_ms = std::numeric_limits<double>::infinity());

 private:
  absl::Status Time(const InstancePlan& plan, double limit_ms, SweepRecord& record) const;
  absl::Status Compute(const InstancePlan& plan, SweepRecord& record);
  absl::Status Verify(const Outcome& outcome, SweepRecord& record);

  const SweepOptions& options_;
  const Gfx gfx_;
  const SweepItem& item_;
  std::optional<Operands> operands_;
  std::optional<Expected> expected_;
};

}  // namespace gridwise
