#include "tools/tune/validation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/base/csv.h"
#include "core/conv/problem.h"
#include "tools/tune/config_space.h"

namespace gridwise {
namespace {

/// A kernel's time for a problem.
struct Time {
  std::string row;
  double estimate = 0, ms = 0;
};

struct Problem {
  std::string name, sizes;
  std::vector<Time> times;  // the planner's first choice first
};

using GroupKey = std::tuple<std::string, std::string, std::string>;  // device, direction, type
using ProblemKey = std::pair<std::string, std::string>;              // name, sizes
using Groups = std::map<GroupKey, std::map<ProblemKey, Problem>>;

/// The columns that are read, by the header line.
struct Columns {
  std::size_t problem, device, sizes, row, result, estimate, ms;
};

std::optional<Columns> FindColumns(const std::vector<std::string>& header) {
  const auto at = [&header](std::string_view name) {
    return static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
  };
  const Columns columns = {.problem = at("problem"),
                           .device = at("device"),
                           .sizes = at("sizes"),
                           .row = at("row"),
                           .result = at("result"),
                           .estimate = at("estimate_us"),
                           .ms = at("ms")};
  for (const std::size_t column : {columns.problem, columns.device, columns.sizes, columns.row,
                                   columns.result, columns.estimate, columns.ms}) {
    if (column == header.size()) return std::nullopt;
  }
  return columns;
}

absl::Status Add(const std::vector<std::string>& fields, const Columns& columns, Groups& groups) {
  if (fields[columns.result] != "timed") return absl::OkStatus();
  Time time = {.row = fields[columns.row]};
  if (!absl::SimpleAtod(fields[columns.ms], &time.ms) || !(time.ms > 0) ||
      !absl::SimpleAtod(fields[columns.estimate], &time.estimate)) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "problem %s on row %s has the time \"%s\" and the estimate \"%s\"", fields[columns.problem],
        time.row, fields[columns.ms], fields[columns.estimate]));
  }
  // "fwd f16 g1 ...", "fwd i8->f32 g1 ..."
  const std::vector<std::string> words = absl::StrSplit(fields[columns.sizes], ' ');
  if (words.size() < 2) return absl::InvalidArgumentError("sizes name no direction and type");
  Problem& problem = groups[{fields[columns.device], words[0], words[1]}]
                           [{fields[columns.problem], fields[columns.sizes]}];
  problem.name = fields[columns.problem];
  problem.sizes = fields[columns.sizes];
  problem.times.push_back(std::move(time));
  return absl::OkStatus();
}

absl::StatusOr<Groups> ReadTable(std::string_view csv) {
  Groups groups;
  std::optional<Columns> columns;
  std::size_t width = 0;
  int number = 0;
  for (std::string_view line : absl::StrSplit(csv, '\n')) {
    ++number;
    line = absl::StripSuffix(line, "\r");
    if (line.empty()) continue;
    const std::optional<std::vector<std::string>> fields = SplitCsvLine(line);
    if (fields && !fields->empty() && fields->front() == "problem") {  // a table begins
      columns = FindColumns(*fields);
      width = fields->size();
    } else if (fields && columns && fields->size() == width) {
      if (absl::Status status = Add(*fields, *columns, groups); !status.ok()) return status;
      continue;
    }
    if (!columns || !fields || fields->size() != width) {
      return absl::InvalidArgumentError(
          absl::StrFormat("line %d is none of a table of `gridwise sweep --time`", number));
    }
  }
  return groups;
}

/// Elements of a tile of D; 0 of kernels without one.
std::int64_t TileSize(const std::string& row, Direction direction) {
  for (const ConfigSpace* space : ConfigSpaces()) {
    const absl::StatusOr<ConfigSpace::Values> values = space->Parse(row, direction);
    if (!values.ok()) continue;
    std::int64_t size = 1;
    int extents = 0;
    for (std::size_t i = 0; i < values->size(); ++i) {
      const std::string name = space->traits()[i].name();
      if (name != "tile_m" && name != "tile_n") continue;
      size *= (*values)[i];
      ++extents;
    }
    return extents == 2 ? size : 0;
  }
  return 0;
}

double Quantile(const std::vector<double>& sorted, double part) {
  const auto index = static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1));
  return sorted[index];
}

ChoiceScore ScoreOf(std::string choice, std::vector<double> efficiencies) {
  std::sort(efficiencies.begin(), efficiencies.end());
  ChoiceScore score = {.choice = std::move(choice)};
  const auto count = static_cast<double>(efficiencies.size());
  for (const double efficiency : efficiencies) {
    score.mean += efficiency / count;
    score.best_chosen += efficiency >= 1 ? 1 / count : 0;
  }
  score.median = Quantile(efficiencies, 0.5);
  score.tenth_percentile = Quantile(efficiencies, 0.1);
  score.minimum = efficiencies.front();
  return score;
}

ValidatedGroup Validate(const GroupKey& key, const std::map<ProblemKey, Problem>& problems) {
  ValidatedGroup group;
  std::tie(group.device, group.direction, group.type) = key;
  const Direction direction = ParseDirection(group.direction).value_or(Direction::kForward);
  std::vector<double> planner, first_3, largest;
  for (const auto& [name, given] : problems) {
    std::vector<Time> times = given.times;
    if (times.size() < 2) continue;
    ++group.problems;
    group.rows += static_cast<int>(times.size());
    std::stable_sort(times.begin(), times.end(),
                     [](const Time& a, const Time& b) { return a.estimate < b.estimate; });
    const auto faster = [](const Time& a, const Time& b) { return a.ms < b.ms; };
    const auto best = std::min_element(times.begin(), times.end(), faster);
    const auto third =
        times.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(3, times.size()));
    const auto tile =
        std::max_element(times.begin(), times.end(), [direction](const Time& a, const Time& b) {
          return TileSize(a.row, direction) < TileSize(b.row, direction);
        });
    planner.push_back(best->ms / times.front().ms);
    first_3.push_back(best->ms / std::min_element(times.begin(), third, faster)->ms);
    largest.push_back(best->ms / tile->ms);
    group.losses.push_back({given.name, given.sizes, times.front().row, best->row, planner.back()});
  }
  if (group.problems == 0) return group;
  group.scores = {ScoreOf("planner", planner), ScoreOf("fastest of the planner's first 3", first_3),
                  ScoreOf("largest tile", largest)};
  group.best_in_first_3 = group.scores[1].best_chosen;
  std::stable_sort(group.losses.begin(), group.losses.end(),
                   [](const Loss& a, const Loss& b) { return a.efficiency < b.efficiency; });
  group.losses.resize(std::min<std::size_t>(5, group.losses.size()));
  return group;
}

}  // namespace

absl::StatusOr<std::vector<ValidatedGroup>> ValidateTable(std::string_view csv) {
  const absl::StatusOr<Groups> groups = ReadTable(csv);
  if (!groups.ok()) return groups.status();
  std::vector<ValidatedGroup> validated;
  for (const auto& [key, problems] : *groups) {
    ValidatedGroup group = Validate(key, problems);
    if (group.problems > 0) validated.push_back(std::move(group));
  }
  if (validated.empty()) {
    return absl::InvalidArgumentError(
        "no problem has times of two kernels; `gridwise sweep --all-rows --time` makes them");
  }
  return validated;
}

std::string ToString(const std::vector<ValidatedGroup>& groups) {
  std::string text;
  for (const ValidatedGroup& group : groups) {
    absl::StrAppendFormat(&text, "%s %s %s: %d problems, %.1f kernels each\n", group.device,
                          group.direction, group.type, group.problems,
                          static_cast<double>(group.rows) / group.problems);
    absl::StrAppendFormat(&text, "  %-34s %8s %8s %8s %8s %8s\n", "of the best kernel's speed",
                          "mean", "median", "P10", "minimum", "is best");
    for (const ChoiceScore& score : group.scores) {
      absl::StrAppendFormat(&text, "  %-34s %7.1f%% %7.1f%% %7.1f%% %7.1f%% %7.1f%%\n",
                            score.choice, 100 * score.mean, 100 * score.median,
                            100 * score.tenth_percentile, 100 * score.minimum,
                            100 * score.best_chosen);
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
