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
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "core/base/csv.h"
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

std::optional<std::map<std::string, Rows>> Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::map<std::string, Rows> problems;
  std::map<std::string, size_t> columns;
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const std::optional<std::vector<std::string>> fields = SplitCsvLine(line);
    if (!fields) return std::nullopt;
    if (columns.empty()) {
      for (size_t i = 0; i < fields->size(); ++i) columns[(*fields)[i]] = i;
      for (const char* name : {"problem", "device", "sizes", "row", "estimate_us", "ms"}) {
        if (!columns.contains(name)) return std::nullopt;
      }
      continue;
    }
    const auto field = [&](const char* name) { return fields->at(columns.at(name)); };
    Prediction row = {.id = field("row")};
    if (fields->size() < columns.size() || !absl::SimpleAtod(field("ms"), &row.measured_ms) ||
        !absl::SimpleAtod(field("estimate_us"), &row.predicted_ms))
      continue;
    row.predicted_ms *= 1e-3;
    problems[absl::StrCat(field("problem"), " on ", field("device"), ": ", field("sizes"))]
        .push_back(row);
  }
  return problems;
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
  if (const char* from = std::getenv("BUILD_WORKING_DIRECTORY"); from != nullptr) {
    std::error_code error;
    std::filesystem::current_path(from, error);
  }
  const auto problems = argc == 2 ? gridwise::Read(argv[1]) : std::nullopt;
  if (!problems) {
    std::fputs("rank: names the table of a `gridwise sweep --time --all-rows`\n", stderr);
    return 2;
  }
  const auto choices = gridwise::ChoicesOf(*problems);
  if (choices.empty()) {
    std::fputs("rank: no problem of the table has several timed rows\n", stderr);
    return 1;
  }
  gridwise::Print(choices);
  return 0;
}
