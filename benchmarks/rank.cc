// How well the planner ranks rows by its estimates, against times of all of them:
//
//   bazel run //tools/gridwise -- sweep --problems=retinanet --n=32 --time --all-rows --csv=all.csv
//   bazel run //benchmarks:rank -- all.csv
//
// For each problem of the table with several timed rows: the efficiency of the planner's choice
// (the time of the best row over that of the row with the least estimate) and Kendall's tau of
// estimates and times. Printed are their means, the tenth percentile of the efficiency, and the
// problems where most is lost.

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "benchmarks/timed_rows.h"
#include "tools/sim/time/calibrate/score.h"

namespace gridwise {
namespace {

using sim::time::Prediction;
using sim::time::ScoreOf;

/// The timed rows of a problem, with the planner's estimates as predictions.
using Rows = std::vector<Prediction>;

struct Choice {
  std::string problem;
  const Prediction* chosen;  // the least estimate
  const Prediction* best;    // the least time
  double tau = 0;
  double efficiency() const { return best->measured_ms / chosen->measured_ms; }
};

std::map<std::string, Rows> ByLayer(const std::vector<TimedRow>& rows) {
  std::map<std::string, Rows> layers;
  for (const TimedRow& row : rows) {
    layers[row.Layer()].push_back(
        {.id = row.row, .measured_ms = row.ms, .predicted_ms = row.estimate_us * 1e-3});
  }
  return layers;
}

std::vector<Choice> ChoicesOf(const std::map<std::string, Rows>& problems) {
  std::vector<Choice> choices;
  for (const auto& [problem, rows] : problems) {
    if (rows.size() < 2) continue;
    const auto least = [&](double Prediction::* member) {
      return &*std::min_element(rows.begin(), rows.end(), [&](const auto& a, const auto& b) {
        return a.*member < b.*member;
      });
    };
    choices.push_back({.problem = problem,
                       .chosen = least(&Prediction::predicted_ms),
                       .best = least(&Prediction::measured_ms),
                       .tau = ScoreOf(rows).tau});
  }
  std::sort(choices.begin(), choices.end(),
            [](const Choice& a, const Choice& b) { return a.efficiency() < b.efficiency(); });
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
  if (argc != 2) {
    std::fputs("usage: rank table.csv, of a `gridwise sweep --time --all-rows`\n", stderr);
    return 2;
  }
  const auto rows = gridwise::ReadTimedRows(argv[1]);
  if (!rows.ok()) {
    std::fprintf(stderr, "rank: %s\n", std::string(rows.status().message()).c_str());
    return 2;
  }
  const auto layers = gridwise::ByLayer(*rows);  // which the choices point into
  const auto choices = gridwise::ChoicesOf(layers);
  if (choices.empty()) {
    std::fputs("rank: no problem of the table has several timed rows\n", stderr);
    return 1;
  }
  gridwise::Print(choices);
  return 0;
}
