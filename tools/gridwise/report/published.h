#pragma once

#include <span>
#include <string_view>

#include "tools/gridwise/problem/problem.h"

namespace gridwise {

/// What was published of one problem.
struct PublishedFigure {
  std::string_view problem;
  double ratio = 0;           // time of a by that of b; 0: only that a is not the faster one
  double a_ms = 0, b_ms = 0;  // 0: the ratio alone was published
};

/// A comparison that others have published, to be repeated: its choices, problems, device and
/// figures.
struct PublishedComparison {
  std::string_view name, a, b, problems, direction, device;
  std::string_view published;  // what is known of all problems together
  std::span<const PublishedFigure> figures;
  bool a_loses_elsewhere = false;  // on the problems that have no figure a is not the faster one
  std::string_view unnamed = {};   // which problems of the publication are not here, and why
  /// The problems of which a mean was published; null: of none.
  bool (*is_of_mean)(const Problem& problem) = nullptr;
  std::string_view mean_of = {};  // which these are
  double mean = 0;                // geometric, of a's times by b's

  /// What is known of a problem; null where nothing was published of it alone.
  const PublishedFigure* Find(std::string_view problem) const;
};

std::span<const PublishedComparison> PublishedComparisons();

}  // namespace gridwise
