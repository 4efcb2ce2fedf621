// SPDX-License-Identifier: MIT
#include "benchmarks/figures/series.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "llvm/Support/JSON.h"
#include "tools/page/page.h"
#include "tools/text/json.h"

namespace gridwise {
namespace {

/// How figures of a kind are compared.
struct Kind {
  Figures FigureLine::* figures;
  double tolerance;
  bool of_machine;     // only with lines of the same machine
  std::size_t nights;  // fewest to compare with
};
constexpr Kind kKinds[] = {{&FigureLine::computed, 0.005, false, 1},
                           {&FigureLine::measured, 0.25, true, 2}};
constexpr std::size_t kNights = 7;

/// Counters of benchmarks that are kept, with their unit.
struct Counter {
  const char* name;
  const char* unit;
  double factor;
};
constexpr Counter kCounters[] = {{"per_problem", "us", 1e6},
                                 {"instructions", "M instructions/s", 1e-6},
                                 {"flops", "GFLOP/s", 1e-9}};

absl::Status AddFigures(const llvm::json::Object* object, std::string_view key, Figures& figures) {
  if (object == nullptr) return absl::InvalidArgumentError(absl::StrCat("has no object ", key));
  for (const auto& [name, value] : *object) {
    const std::optional<double> number = value.getAsNumber();
    if (!number) {
      return absl::InvalidArgumentError(
          absl::StrCat("has a figure ", name.str(), " that is no number"));
    }
    figures[name.str()] = *number;
  }
  return absl::OkStatus();
}

absl::StatusOr<FigureLine> ParseLine(std::string_view text) {
  const absl::StatusOr<llvm::json::Value> value = ParseJson(text);
  if (!value.ok()) return value.status();
  const llvm::json::Object* const object = value->getAsObject();
  if (object == nullptr) return absl::InvalidArgumentError("is no object");
  FigureLine line;
  for (const auto& [key, field] :
       {std::pair("date", &line.date), {"commit", &line.commit}, {"machine", &line.machine}}) {
    const auto string = object->getString(key);
    if (!string) return absl::InvalidArgumentError(absl::StrCat("has no text ", key));
    *field = string->str();
  }
  absl::Status status = AddFigures(object->getObject("computed"), "computed", line.computed);
  status.Update(AddFigures(object->getObject("measured"), "measured", line.measured));
  if (!status.ok()) return status;
  return line;
}

llvm::json::Object ToJson(const Figures& figures) {
  llvm::json::Object object;
  for (const auto& [name, value] : figures) object[name] = value;
  return object;
}

llvm::json::Object ToJson(const FigureLine& line) {
  return llvm::json::Object{{"date", line.date},
                            {"commit", line.commit},
                            {"machine", line.machine},
                            {"computed", ToJson(line.computed)},
                            {"measured", ToJson(line.measured)}};
}

/// The figure's median in an entry of a report; nullopt: the entry is of something else.
std::optional<std::pair<std::string, double>> ReadMedian(const llvm::json::Object& entry) {
  const auto aggregate = entry.getString("aggregate_name"), name = entry.getString("run_name");
  if (!name || !aggregate || *aggregate != "median") return std::nullopt;
  for (const Counter& counter : kCounters) {
    const std::optional<double> value = entry.getNumber(counter.name);
    if (value)
      return std::pair(absl::StrCat(name->str(), ", ", counter.unit), *value * counter.factor);
  }
  return std::nullopt;
}

/// The figure in the last lines of `series` that it is compared with.
std::vector<double> ValuesBefore(const std::vector<FigureLine>& series, const FigureLine& line,
                                 const Kind& kind, const std::string& name) {
  std::vector<double> values;
  for (auto before = series.rbegin(); before != series.rend() && values.size() < kNights;
       ++before) {
    if (kind.of_machine && before->machine != line.machine) continue;
    const Figures& figures = (*before).*kind.figures;
    if (const auto found = figures.find(name); found != figures.end())
      values.push_back(found->second);
  }
  return values;
}

/// The names of the figures in the last line that has some and that `line` is compared with.
std::vector<std::string> NamesBefore(const std::vector<FigureLine>& series, const FigureLine& line,
                                     const Kind& kind) {
  std::vector<std::string> names;
  for (auto before = series.rbegin(); before != series.rend() && names.empty(); ++before) {
    if (kind.of_machine && before->machine != line.machine) continue;
    for (const auto& [name, value] : (*before).*kind.figures) names.push_back(name);
  }
  return names;
}

}  // namespace

absl::StatusOr<std::vector<FigureLine>> ParseSeries(std::string_view text) {
  std::vector<FigureLine> series;
  int number = 0;
  for (const std::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    if (line.empty()) continue;
    absl::StatusOr<FigureLine> parsed = ParseLine(line);
    if (!parsed.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", number, ": ", parsed.status().message()));
    }
    series.push_back(*std::move(parsed));
  }
  return series;
}

std::string PrintLine(const FigureLine& line) { return JsonText(ToJson(line)); }

absl::Status AddBenchmarks(std::string_view report, Figures& measured) {
  const absl::StatusOr<llvm::json::Value> value = ParseJson(report);
  if (!value.ok()) return value.status();
  const llvm::json::Object* const object = value->getAsObject();
  const llvm::json::Array* const entries =
      object == nullptr ? nullptr : object->getArray("benchmarks");
  if (entries == nullptr)
    return absl::InvalidArgumentError("the report has no list \"benchmarks\"");
  std::size_t added = 0;
  for (const llvm::json::Value& each : *entries) {
    const llvm::json::Object* const entry = each.getAsObject();
    if (entry == nullptr) continue;
    if (entry->getBoolean("error_occurred").value_or(false)) {
      return absl::InvalidArgumentError(
          absl::StrCat(entry->getString("name").value_or("?").str(), ": ",
                       entry->getString("error_message").value_or("").str()));
    }
    if (auto median = ReadMedian(*entry)) {
      measured[median->first] = median->second;
      ++added;
    }
  }
  if (added == 0) return absl::InvalidArgumentError("the report has no median of a counter");
  return absl::OkStatus();
}

std::string FigureChange::ToString() const {
  const std::string before = lowest == highest ? absl::StrFormat("%.4g", lowest)
                                               : absl::StrFormat("%.4g to %.4g", lowest, highest);
  const std::string time =
      nights == 1 ? "in the last night" : absl::StrFormat("in the last %d nights", nights);
  if (missing) return absl::StrCat(name, ": missing, and was ", before, " ", time);
  return absl::StrFormat("%s: %.4g, and was %s %s", name, now, before, time);
}

std::vector<FigureChange> FindChanges(const std::vector<FigureLine>& series,
                                      const FigureLine& line) {
  std::vector<FigureChange> changes;
  for (const Kind& kind : kKinds) {
    const Figures& figures = line.*kind.figures;
    for (const std::string& name : NamesBefore(series, line, kind)) {
      const std::vector<double> values = ValuesBefore(series, line, kind, name);
      const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
      FigureChange change = {
          .name = name, .lowest = *lowest, .highest = *highest, .nights = values.size()};
      const auto now = figures.find(name);
      change.missing = now == figures.end();
      if (!change.missing) change.now = now->second;
      const bool within = !change.missing && change.now >= *lowest * (1 - kind.tolerance) &&
                          change.now <= *highest * (1 + kind.tolerance);
      if (!within && values.size() >= kind.nights) changes.push_back(std::move(change));
    }
  }
  return changes;
}

std::string SeriesPage(const std::vector<FigureLine>& series,
                       const std::vector<FigureChange>& changes) {
  llvm::json::Array lines, changed;
  for (const FigureLine& line : series) lines.push_back(ToJson(line));
  for (const FigureChange& change : changes) changed.push_back(change.ToString());
  return MakePage(
      PageKind::kSeries, "Figures of Gridwise",
      JsonText(llvm::json::Object{{"lines", std::move(lines)}, {"changes", std::move(changed)}}));
}

}  // namespace gridwise
