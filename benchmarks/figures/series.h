// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

/// Figures that are kept every night, as a series of JSON lines.

namespace gridwise {

/// Values by name. A name ends with its unit: "plan/gfx942/fwd/retinanet, us".
using Figures = std::map<std::string, double>;

/// A line of a series: what one commit gave.
struct FigureLine {
  std::string date;       // "2026-11-29"
  std::string commit;     // hash
  std::string machine;    // on which `measured` was: a CPU and its cores, or a GPU
  Figures computed = {};  // the same on every machine: times by the clock, sizes of code
  Figures measured = {};  // by a clock of `machine`
};

/// Parses a series, in the order of time. Empty lines are passed over.
///
/// Errors: kInvalidArgument with the number of the first bad line, and what is wrong with it.
absl::StatusOr<std::vector<FigureLine>> ParseSeries(std::string_view text);

/// Returns the line, without a line end.
std::string PrintLine(const FigureLine& line);

/// Adds the medians of a report of Google Benchmark (--benchmark_repetitions, --benchmark_out) to
/// `measured`, one figure for each benchmark with a counter of kCounters in series.cc.
///
/// Errors: kInvalidArgument if the text is no such report or has no median with such a counter, or
/// if a benchmark failed, with its message.
absl::Status AddBenchmarks(std::string_view report, Figures& measured);

/// A figure that is not what it was.
struct FigureChange {
  std::string name;
  double now = 0, lowest = 0, highest = 0;  // today's; of the nights that it is compared with
  std::size_t nights = 0;
  bool missing = false;  // it has no value today

  /// "plan/gfx942/fwd/retinanet, us: 15.2, and was 10.1 to 12.3 in the last 7 nights".
  std::string ToString() const;
};

/// Compares `line` with the last 7 lines of `series` that have the figure: measured ones of the
/// same machine, computed ones of any. A figure has changed if it is more than 25 % (measured) or
/// 0.5 % (computed) beyond the lowest and highest of these. A noisy night thus widens what is
/// allowed, and a lasting change is told once, on its first night. Measured figures are compared
/// from a machine's third night on. A figure that the last such line has and `line` lacks is
/// missing.
std::vector<FigureChange> FindChanges(const std::vector<FigureLine>& series,
                                      const FigureLine& line);

/// Returns a page that draws the series, whose lines are at least one; `changes` are of the last.
std::string SeriesPage(const std::vector<FigureLine>& series,
                       const std::vector<FigureChange>& changes);

}  // namespace gridwise
