// SPDX-License-Identifier: MIT
#include "tools/gridwise/import/collector.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/base/types.h"
#include "core/conv/validate.h"

namespace gridwise {
namespace {

/// Faults that are told one by one, and kinds of what is left out.
constexpr std::size_t kMaxFaults = 20, kMaxSkipped = 8;

/// "12 bnorm, 3 pool and 4 others", the most frequent first.
std::string MostFrequent(const std::map<std::string, std::int64_t>& counts) {
  std::vector<std::pair<std::int64_t, std::string>> sorted;
  sorted.reserve(counts.size());
  for (const auto& [what, count] : counts) sorted.emplace_back(-count, what);
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::string> parts;
  std::int64_t others = 0;
  for (const auto& [count, what] : sorted) {
    if (parts.size() < kMaxSkipped) {
      parts.push_back(absl::StrCat(-count, " ", what));
    } else {
      others -= count;
    }
  }
  if (others > 0) parts.push_back(absl::StrCat(others, " others"));
  return absl::StrJoin(parts, ", ");
}

/// "l3_c128k512g1_28x28_3x3s1", for people. The number tells apart those that differ in what it
/// does not say.
std::string MakeName(const ConvProblem& problem, std::size_t number) {
  const auto per_axis = [&](std::int64_t Dim::* member) {
    std::string text;
    for (std::size_t axis = static_cast<std::size_t>(3 - problem.rank); axis < 3; ++axis) {
      absl::StrAppend(&text, text.empty() ? "" : "x", problem.dims[axis].*member);
    }
    return text;
  };
  return absl::StrCat("l", number, "_c", problem.c, "k", problem.k, "g", problem.groups, "_",
                      per_axis(&Dim::in), "_", per_axis(&Dim::filter), "s", problem.dims[2].stride);
}

/// As a field of a table and a line of a terminal may be: without control characters.
std::string OnOneLine(std::string text) {
  std::ranges::replace_if(text, [](char c) { return absl::ascii_iscntrl(c); }, ' ');
  return text;
}

}  // namespace

void Collector::Add(const char* unit, const std::string& place, const ImportedLine& line) {
  if (!line.ok()) {
    AddFault(Where(unit, place), line.status().message());
  } else if (line->has_value()) {
    const ImportedItem& item = **line;
    if (item.problems.empty()) Skip(OnOneLine(item.skipped), 1);
    for (const ConvProblem& problem : item.problems) AddProblem(unit, place, item, problem);
  }
}

std::string Collector::Where(const char* unit, const std::string& place) const {
  const bool is_line = std::string_view(unit) == "line";
  return is_line ? absl::StrCat(sources_.back(), ":", place)
                 : absl::StrCat(sources_.back(), ", ", unit, " ", place);
}

void Collector::AddFault(const absl::Status& status) {
  AddFault(sources_.back(), status.message());
}

void Collector::AddFault(const std::string& where, std::string_view message) {
  ++fault_count_;
  if (faults_.size() < kMaxFaults) {
    faults_.push_back(OnOneLine(absl::StrCat(where, ": ", message)));
  }
}

void Collector::AddProblem(const char* unit, const std::string& place, const ImportedItem& item,
                           const ConvProblem& problem) {
  if (absl::Status status = Validate(problem); !status.ok()) {
    return AddFault(Where(unit, place), status.message());
  }
  ++occurrences_;
  ++kinds_[item.kind];
  ConvProblem geometry = problem;
  geometry.direction = Direction::kForward;
  const auto [found, is_new] = index_.emplace(ToString(geometry), joined_.size());
  if (is_new) {
    std::vector<std::string> notes = {Where(unit, place)};
    if (!item.note.empty()) notes.push_back(item.note);
    if (IsFloat8(problem.type) && !problem.out_type) notes.emplace_back("its output is f32 here");
    joined_.push_back({.problem = geometry,
                       .name = OnOneLine(item.name),
                       .note = OnOneLine(absl::StrJoin(notes, "; "))});
  }
  Joined& joined = joined_[found->second];
  const auto direction = static_cast<std::size_t>(problem.direction);
  ++(item.is_search ? joined.searches : joined.runs)[direction];
}

std::vector<NamedProblem> Collector::Problems() const {
  std::vector<NamedProblem> problems;
  std::set<std::string> names;
  for (std::size_t i = 0; i < joined_.size(); ++i) {
    const Joined& joined = joined_[i];
    std::vector<std::pair<std::int64_t, std::vector<Direction>>> by_count;
    for (const Direction direction : kAllDirections) {
      const auto index = static_cast<std::size_t>(direction);
      const std::int64_t runs = joined.runs[index];
      const std::int64_t count = runs > 0 ? runs : joined.searches[index];
      if (count == 0) continue;
      const auto same =
          std::ranges::find(by_count, count, [](const auto& each) { return each.first; });
      if (same == by_count.end()) {
        by_count.push_back({count, {direction}});
      } else {
        same->second.push_back(direction);
      }
    }
    const std::string base = joined.name.empty() ? MakeName(joined.problem, i + 1) : joined.name;
    for (const auto& [count, directions] : by_count) {
      std::string name =
          by_count.size() == 1 ? base : absl::StrCat(base, ".", Name(directions.front()));
      for (int again = 2; !names.insert(name).second; ++again)
        name = absl::StrCat(base, "-", again);
      problems.push_back({.name = name,
                          .problem = joined.problem,
                          .directions = directions,
                          .note = joined.note,
                          .count = count});
    }
  }
  return problems;
}

absl::StatusOr<ImportedSet> Collector::Finish() const {
  const std::string source = absl::StrJoin(sources_, ", ");
  std::string left_out;
  if (!skipped_.empty()) left_out = absl::StrCat("left out: ", MostFrequent(skipped_));
  if (joined_.empty()) {
    std::vector<std::string> reasons = {absl::StrCat("no convolution is in ", source)};
    if (!faults_.empty()) reasons.push_back(faults_.front());
    if (!left_out.empty()) reasons.push_back(left_out);
    const bool is_of_no_kind = faults_.empty() && skipped_.empty();
    return absl::Status(
        is_of_no_kind ? absl::StatusCode::kNotFound : absl::StatusCode::kInvalidArgument,
        absl::StrJoin(reasons, "; "));
  }
  ImportedSet set = {.problems = Problems()};
  std::int64_t convolutions = 0;  // without searches besides executions
  for (const NamedProblem& each : set.problems) {
    convolutions += each.count * static_cast<std::int64_t>(each.directions.size());
  }
  set.report.push_back(absl::StrFormat("%s: %d convolutions, %d of them different (%s)", source,
                                       convolutions, joined_.size(), MostFrequent(kinds_)));
  if (!left_out.empty()) set.report.push_back(absl::StrCat(source, ": ", left_out));
  set.report.insert(set.report.end(), faults_.begin(), faults_.end());
  const std::int64_t rest = fault_count_ - static_cast<std::int64_t>(faults_.size());
  if (rest > 0) set.report.push_back(absl::StrFormat("%s: %d more are wrong", source, rest));
  return set;
}

}  // namespace gridwise
