// SPDX-License-Identifier: MIT
#include "tools/tune/validation.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"

namespace gridwise {
namespace {

/// What a judge comes to on a problem.
struct Applicability {
  std::size_t chosen = 0;      // which of the problem's times
  double first = 0, of_3 = 0;  // efficiency of its first, and of the fastest of its first three
  bool bounded = false;        // `first` is an upper bound
};

absl::StatusOr<Applicability> CheckApplicability(const Judge& judge, const TimedProblem& problem,
                                                 double best_ms) {
  const absl::StatusOr<std::vector<double>> ranks = judge.rank(problem);
  if (!ranks.ok()) return ranks.status();
  std::vector<std::size_t> order(problem.times.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return (*ranks)[a] < (*ranks)[b]; });
  Applicability applicability = {.chosen = order.front()};
  applicability.first = best_ms / problem.times[order.front()].ms;
  applicability.bounded = problem.times[order.front()].at_least;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, order.size()); ++i) {
    applicability.of_3 = std::max(applicability.of_3, best_ms / problem.times[order[i]].ms);
  }
  return applicability;
}

double Mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double PartOfOnes(const std::vector<double>& values) {
  return static_cast<double>(std::ranges::count_if(values, [](double v) { return v >= 1; })) /
         static_cast<double>(values.size());
}

double Quantile(const std::vector<double>& sorted, double part) {
  return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
}

JudgeScore ComputeScore(const std::string& judge, std::vector<double> firsts,
                        const std::vector<double>& of_3) {
  std::sort(firsts.begin(), firsts.end());
  return {.judge = judge,
          .mean = Mean(firsts),
          .median = Quantile(firsts, 0.5),
          .tenth_percentile = Quantile(firsts, 0.1),
          .minimum = firsts.front(),
          .best_first = PartOfOnes(firsts),
          .best_in_3 = PartOfOnes(of_3),
          .mean_of_3 = Mean(of_3)};
}

absl::StatusOr<ValidatedGroup> ValidateGroup(const std::vector<const TimedProblem*>& problems,
                                             std::span<const Judge> judges) {
  ValidatedGroup group = {.device = problems.front()->device,
                          .direction = problems.front()->direction,
                          .type = problems.front()->type,
                          .problems = static_cast<int>(problems.size())};
  for (const TimedProblem* problem : problems)
    group.instances += static_cast<int>(problem->times.size());
  for (const Judge& judge : judges) {
    std::vector<double> firsts, of_3;
    int bounded = 0;
    for (const TimedProblem* problem : problems) {
      const auto best = std::ranges::min_element(problem->times, {}, &InstanceTime::ms);
      const absl::StatusOr<Applicability> applicability =
          CheckApplicability(judge, *problem, best->ms);
      if (!applicability.ok()) return applicability.status();
      firsts.push_back(applicability->first);
      of_3.push_back(applicability->of_3);
      bounded += applicability->bounded;
      if (&judge != &judges.front()) continue;
      group.losses.push_back({problem->name, problem->sizes,
                              problem->times[applicability->chosen].instance, best->instance,
                              applicability->first});
    }
    group.scores.push_back(ComputeScore(judge.name, std::move(firsts), of_3));
    group.scores.back().bounded = bounded;
  }
  std::ranges::stable_sort(group.losses, {}, &Loss::efficiency);
  group.losses.resize(std::min<std::size_t>(5, group.losses.size()));
  return group;
}

}  // namespace

absl::StatusOr<std::vector<ValidatedGroup>> Validate(std::span<const TimedProblem> problems,
                                                     std::span<const Judge> judges) {
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<const TimedProblem*>>
      groups;
  for (const TimedProblem& problem : problems) {
    if (problem.times.size() < 2) continue;
    groups[{problem.device, problem.direction, problem.type}].push_back(&problem);
  }
  if (groups.empty()) {
    return absl::InvalidArgumentError(
        "no problem has times of two kernels; `gridwise sweep --all-instances --time` makes them");
  }
  std::vector<ValidatedGroup> validated;
  for (const auto& [key, group] : groups) {
    absl::StatusOr<ValidatedGroup> scored = ValidateGroup(group, judges);
    if (!scored.ok()) return scored.status();
    validated.push_back(*std::move(scored));
  }
  return validated;
}

std::string ToString(const std::vector<ValidatedGroup>& groups) {
  std::string text;
  for (const ValidatedGroup& group : groups) {
    absl::StrAppendFormat(&text, "%s %s %s: %d problems, %.1f kernels each\n", group.device,
                          group.direction, group.type, group.problems,
                          static_cast<double>(group.instances) / group.problems);
    absl::StrAppendFormat(&text, "  %-26s %7s %7s %7s %7s %8s %8s %8s\n", "of the best one's speed",
                          "mean", "median", "P10", "minimum", "is best", "in 3", "of 3");
    for (const JudgeScore& score : group.scores) {
      absl::StrAppendFormat(
          &text, "  %-26s %6.1f%% %6.1f%% %6.1f%% %6.1f%% %7.1f%% %7.1f%% %7.1f%%\n", score.judge,
          100 * score.mean, 100 * score.median, 100 * score.tenth_percentile, 100 * score.minimum,
          100 * score.best_first, 100 * score.best_in_3, 100 * score.mean_of_3);
      if (score.bounded > 0) {
        absl::StrAppendFormat(&text, "    at most: of %d choices no more than a bound is known\n",
                              score.bounded);
      }
    }
    for (const Loss& loss : group.losses) {
      if (loss.efficiency >= 1) continue;
      absl::StrAppendFormat(&text, "  %5.1f%% %s: %s, best %s\n", 100 * loss.efficiency,
                            loss.problem, loss.chosen, loss.best);
    }
  }
  return text;
}

}  // namespace gridwise
