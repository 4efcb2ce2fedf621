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

/// What a choice makes of a problem.
struct ComparedSide {
  std::optional<InstancePlan> plan;
  std::string reason;            // why there is no plan, or what was wrong with the result
  double estimated_us = 0;       // by the planner
  std::optional<Timing> timing;  // on the device, or by the simulator's clock
  std::optional<SimRun> sim;
  bool failed = false;  // to compute it, or to compute it right; or to be timed

  double us() const { return timing ? timing->ms * 1e3 : estimated_us; }
};

/// Two choices on a problem.
struct Comparison {
  std::string name;
  Problem problem;
  ComparedSide a, b;
  const PublishedFigure* published = nullptr;  // what others have measured

  bool both() const { return a.plan && b.plan && !a.failed && !b.failed; }
  /// Time of a by that of b.
  double ratio() const { return a.us() / b.us(); }
  /// "a", "b", "=" for less than half a percent apart, "-" where neither has a plan.
  const char* winner() const;
};

/// Two choices on the problems of a set.
struct ComparisonTable {
  std::string a, b, device;                        // the choices as the user says them
  const PublishedComparison* published = nullptr;  // that it repeats
  bool verified = false, timed = false;
  std::vector<Comparison> rows;

  int failed() const;
  /// Several lines: how many problems either is faster on, the geometric mean of the ratios, what
  /// the times are, and what was published, beside the same figures of this table.
  std::string Summary() const;
  std::string ToCsv() const;
  /// A table for documents.
  std::string ToMarkdown() const;
  /// A page of HTML that refers to nothing.
  std::string ToPage() const;
};

/// A comparison as a line for people, and lines with reasons.
std::string ToText(const Comparison& comparison);

}  // namespace gridwise
