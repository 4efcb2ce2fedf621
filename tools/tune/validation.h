#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace gridwise {

/// How near a way of choosing kernels comes to the best kernel of each problem: its efficiency is
/// the best kernel's time by that of the kernel that it chooses.
struct ChoiceScore {
  std::string choice;  // "planner", "fastest of the planner's first 3", "largest tile"
  double mean = 0, median = 0, tenth_percentile = 0, minimum = 0;
  double best_chosen = 0;  // part of the problems where it is the best kernel
};

/// Where the planner loses most.
struct Loss {
  std::string problem, sizes, chosen, best;
  double efficiency = 0;
};

/// The problems of a device, a direction and a type.
struct ValidatedGroup {
  std::string device, direction, type;
  int problems = 0;  // with times of at least two kernels
  int rows = 0;      // times
  double best_in_first_3 =
      0;  // part of the problems whose best kernel is among the planner's first
  std::vector<ChoiceScore> scores;
  std::vector<Loss> losses;  // up to five, the worst first
};

/// Scores of a table of `gridwise sweep --all-rows --time`, or of several ones behind each other:
/// what was timed there is what there is to choose from. kInvalidArgument for what is no such
/// table, or has no times.
absl::StatusOr<std::vector<ValidatedGroup>> ValidateTable(std::string_view csv);

/// For people.
std::string ToString(const std::vector<ValidatedGroup>& groups);

}  // namespace gridwise
