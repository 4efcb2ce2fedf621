// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/tune/times.h"

namespace gridwise {

/// A way to choose kernels: a number for each kernel of a problem; the least is the choice.
struct Judge {
  std::string name;
  std::function<absl::StatusOr<std::vector<double>>(const TimedProblem&)> rank;
};

/// How near a judge comes to the best kernel of each problem: its efficiency is the best kernel's
/// time divided by that of its choice.
struct JudgeScore {
  std::string judge = {};
  double mean = 0, median = 0, tenth_percentile = 0, minimum = 0;
  double best_first = 0;  // part of the problems where its first is the best kernel
  double best_in_3 = 0;   // where one of its first three is
  double mean_of_3 = 0;   // efficiency of the fastest of its first three
  int bounded = 0;  // problems whose efficiency is less than what is counted: of its choice no
                    // more is known than that it takes longer (InstanceTime::at_least)
};

/// Where the first judge loses most.
struct Loss {
  std::string problem, sizes, chosen, best;
  double efficiency = 0;
};

/// The problems of a device, a direction and a type.
struct ValidatedGroup {
  std::string device = {}, direction = {}, type = {};
  int problems = 0;   // with times of at least two kernels
  int instances = 0;  // times
  std::vector<JudgeScore> scores = {};
  std::vector<Loss> losses = {};  // up to five, the worst first
};

/// Scores of judges, which choose among the kernels that were timed. Errors: kInvalidArgument if no
/// problem has two times; a judge's error.
absl::StatusOr<std::vector<ValidatedGroup>> Validate(std::span<const TimedProblem> problems,
                                                     std::span<const Judge> judges);

/// The scores as text for people.
std::string ToString(const std::vector<ValidatedGroup>& groups);

}  // namespace gridwise
