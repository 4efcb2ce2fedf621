// SPDX-License-Identifier: MIT
// How well the planner ranks instances by its estimates, against times of all of them:
//
//   bazel run //tools/gridwise -- sweep --problems=retinanet --n=32 --time --all-instances
//   --csv=all.csv bazel run //benchmarks:rank -- all.csv
//
// For each problem of the table with several timed instances: the efficiency of the planner's
// choice (the time of the best instance over that of the instance with the least estimate) and
// Kendall's tau of estimates and times. Printed are their means, the tenth percentile of the
// efficiency, and the problems where most is lost.

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/gridwise/sweep/read_tables.h"
#include "tools/sim/time/calibrate/score.h"

namespace gridwise {
namespace {

using sim::time::ComputeScore;
using sim::time::Prediction;

/// The timed instances of a problem, with the planner's estimates as predictions.
using Instances = std::vector<Prediction>;

struct Choice {
  std::string problem;
  const Prediction* chosen;  // the least estimate
  const Prediction* best;    // the least time
  double tau = 0;
  double efficiency() const { return best->measured_ms / chosen->measured_ms; }
};

std::vector<Instances> ReadInstances(const std::vector<TimedProblem>& problems) {
  std::vector<Instances> instances;
  for (const TimedProblem& problem : problems) {
    Instances& of_problem = instances.emplace_back();
    for (const InstanceTime& time : problem.times) {
      of_problem.push_back(
          {.id = time.instance, .measured_ms = time.ms, .predicted_ms = time.estimate_us * 1e-3});
    }
  }
  return instances;
}

/// The choices among the instances of each problem that has several. They point into `problems`.
std::vector<Choice> Choose(const std::vector<TimedProblem>& problems,
                           const std::vector<Instances>& instances) {
  std::vector<Choice> choices;
  for (size_t i = 0; i < problems.size(); ++i) {
    if (instances[i].size() < 2) continue;
    const auto least = [&](double Prediction::* member) {
      return &*std::ranges::min_element(instances[i], {}, member);
    };
    choices.push_back({.problem = absl::StrCat(problems[i].name, " on ", problems[i].device, ": ",
                                               problems[i].sizes),
                       .chosen = least(&Prediction::predicted_ms),
                       .best = least(&Prediction::measured_ms),
                       .tau = ComputeScore(instances[i]).tau});
  }
  std::ranges::sort(choices, {}, &Choice::efficiency);
  return choices;
}

void Print(const std::vector<Choice>& choices) {
  double efficiency = 0, tau = 0;
  for (const Choice& choice : choices) {
    efficiency += choice.efficiency();
    tau += choice.tau;
  }
  const auto count = static_cast<double>(choices.size());
  absl::PrintF(
      "%d problems: efficiency of the planner's choice %.1f %% (mean), %.1f %% (tenth percentile); "
      "Kendall's tau of estimates %.2f (mean)\n",
      choices.size(), 100 * efficiency / count, 100 * choices[choices.size() / 10].efficiency(),
      tau / count);
  constexpr size_t kWorst = 12;
  for (size_t i = 0; i < std::min(kWorst, choices.size()); ++i) {
    const Choice& choice = choices[i];
    absl::PrintF(
        "%5.1f %%  %s\n          %9.4g ms (estimate %.4g) %s\n          %9.4g ms (estimate "
        "%.4g) %s\n",
        100 * choice.efficiency(), choice.problem, choice.chosen->measured_ms,
        choice.chosen->predicted_ms, choice.chosen->id, choice.best->measured_ms,
        choice.best->predicted_ms, choice.best->id);
  }
}

}  // namespace
}  // namespace gridwise

int main(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') {
    std::fputs(
        "rank TABLE...: tables of times, as gridwise sweep --time --all-instances --csv writes "
        "them\n",
        stderr);
    return 2;
  }
  const auto problems = gridwise::ReadTables({argv + 1, argv + argc});
  if (!problems.ok()) {
    std::fprintf(stderr, "rank: %s\n", std::string(problems.status().message()).c_str());
    return 2;
  }
  const auto instances = gridwise::ReadInstances(*problems);
  const auto choices = gridwise::Choose(*problems, instances);
  if (choices.empty()) {
    std::fputs("rank: no problem of the table has several timed instances\n", stderr);
    return 1;
  }
  gridwise::Print(choices);
  return 0;
}
