// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gridwise/plan.h"
#include "tools/gridwise/problem/problem.h"
#include "tools/gridwise/report/published.h"
#include "tools/gridwise/run/sim_report.h"
#include "tools/gridwise/run/timing.h"

namespace gridwise {

/// The result of one choice on a problem.
struct ComparedSide {
  std::optional<InstancePlan> plan;
  std::string reason;            // why there is no plan, or the fault of the result
  double estimated_us = 0;       // by the planner
  std::optional<Timing> timing;  // on the device, or by the simulator's clock
  std::optional<SimRun> sim;
  bool failed = false;  // computing, verifying or timing failed

  double us() const { return timing ? timing->ms * 1e3 : estimated_us; }
};

/// Two choices on a problem.
struct Comparison {
  std::string name;
  Problem problem;
  ComparedSide a, b;
  const PublishedFigure* published = nullptr;  // published measurement

  bool both() const { return a.plan && b.plan && !a.failed && !b.failed; }
  /// Returns (time of a) / (time of b).
  double ratio() const { return a.us() / b.us(); }
  /// Returns "a", "b", "=" if they differ by less than half a percent, or "-" if neither has a
  /// plan.
  const char* winner() const;
};

/// Two choices on the problems of a set.
struct ComparisonTable {
  std::string a, b, device;                        // the choices as text
  std::string note;                                // CalibrationNote of the device
  const PublishedComparison* published = nullptr;  // the comparison that it repeats
  bool verified = false, timed = false;
  std::vector<Comparison> rows;

  int failed() const;
  /// Returns several lines: on how many problems each choice is faster, the geometric mean of the
  /// ratios, and what the times measure. Published figures are next to those of this table.
  std::string Summary() const;
  std::string ToCsv() const;
  /// Returns a Markdown table.
  std::string ToMarkdown() const;
  /// Returns a self-contained HTML page (PageKind::kComparison).
  std::string ToPage() const;
};

/// Returns a line for people, followed by lines with reasons.
std::string ToText(const Comparison& comparison);

}  // namespace gridwise
