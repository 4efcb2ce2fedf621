// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

#include "tools/gridwise/problem/problem.h"

namespace gridwise {

/// The published figure of one problem.
struct PublishedFigure {
  std::string_view problem;
  double ratio = 0;           // (time of a) / (time of b); 0: known only is that a is not faster
  double a_ms = 0, b_ms = 0;  // 0: only the ratio was published
};

/// A published comparison that can be repeated: its choices, problems, device and figures.
struct PublishedComparison {
  std::string_view name, a, b, problems, direction, device;
  std::string_view published;  // what is known about all problems together
  std::span<const PublishedFigure> figures;
  bool a_loses_elsewhere = false;  // a is not faster on problems without a figure
  std::string_view unnamed = {};   // the publication's problems that are missing here, and why
  /// Returns whether a problem is part of the published mean. Null: there is none.
  bool (*is_of_mean)(const Problem& problem) = nullptr;
  std::string_view mean_of = {};  // describes these problems
  double mean = 0;                // geometric mean of (time of a) / (time of b)

  /// Returns the figure of a problem; null if none was published.
  const PublishedFigure* Find(std::string_view problem) const;
};

std::span<const PublishedComparison> PublishedComparisons();

}  // namespace gridwise
