// SPDX-License-Identifier: MIT
#include "tools/gridwise/report/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "core/text/csv.h"
#include "llvm/Support/JSON.h"
#include "tools/gridwise/report/json.h"
#include "tools/page/page.h"
#include "tools/text/json.h"

namespace gridwise {
namespace {

/// Returns the faster side, from the ratio of the times.
const char* WinnerOf(double ratio) { return ratio < 0.995 ? "a" : ratio > 1.005 ? "b" : "="; }

const char* WinnerOf(const PublishedFigure& figure) {
  return figure.ratio > 0 ? WinnerOf(figure.ratio) : "b";
}

/// Returns whether the published winner is also the winner in this table.
bool HasSameWinner(const Comparison& c) {
  const std::string_view published = WinnerOf(*c.published), winner = c.winner();
  return winner == published || (c.published->ratio == 0 && winner == "=");
}

int64_t Count(const SimRun& run, std::string_view kind) {
  for (const auto& [name, count] : run.instructions) {
    if (name == kind) return count;
  }
  return 0;
}

/// Returns the vector instructions per matrix instruction; nullopt if there are none.
std::optional<double> ValuPerMatrix(const ComparedSide& side) {
  if (!side.sim || Count(*side.sim, "mma") == 0) return std::nullopt;
  return static_cast<double>(Count(*side.sim, "valu")) /
         static_cast<double>(Count(*side.sim, "mma"));
}

/// Returns "12.3 us"; if it was computed, also the vector instructions per matrix instruction.
std::string FormatTime(const ComparedSide& side) {
  if (!side.plan) return "-";
  std::string text = absl::StrFormat("%.1f us", side.us());
  if (const auto valu = ValuPerMatrix(side))
    absl::StrAppendFormat(&text, " (%.2f valu/mma)", *valu);
  return text;
}

std::vector<std::string> Columns() {
  std::vector<std::string> columns = {"problem", "direction", "sizes"};
  for (const char* side : {"a", "b"}) {
    for (const char* of_side : {"instance", "us", "timed_us", "valu", "mma"}) {
      columns.push_back(absl::StrCat(side, "_", of_side));
    }
  }
  columns.insert(columns.end(), {"ratio", "winner", "published_a_ms", "published_b_ms",
                                 "published_ratio", "published_winner"});
  return columns;
}

std::vector<std::string> Fields(const Comparison& c) {
  std::vector<std::string> fields = {c.name, KindOf(c.problem), ToString(c.problem)};
  for (const ComparedSide* side : {&c.a, &c.b}) {
    fields.push_back(side->plan ? side->plan->instance() : "");
    fields.push_back(side->plan ? absl::StrFormat("%.3f", side->estimated_us) : "");
    fields.push_back(side->timing ? absl::StrFormat("%.3f", side->us()) : "");
    fields.push_back(side->sim ? absl::StrCat(Count(*side->sim, "valu")) : "");
    fields.push_back(side->sim ? absl::StrCat(Count(*side->sim, "mma")) : "");
  }
  fields.push_back(c.both() ? absl::StrFormat("%.4f", c.ratio()) : "");
  fields.push_back(c.winner());
  const auto number = [](double value) { return value > 0 ? absl::StrCat(value) : ""; };
  const PublishedFigure none, &published = c.published == nullptr ? none : *c.published;
  for (const double ms : {published.a_ms, published.b_ms}) fields.push_back(number(ms));
  fields.push_back(published.ratio > 0 ? absl::StrFormat("%.4f", published.ratio) : "");
  fields.push_back(c.published == nullptr ? "" : WinnerOf(published));
  return fields;
}

/// Returns "published 0.183 / 0.171 ms, 1.070 b"; empty if nothing was published.
std::string PublishedOf(const Comparison& c) {
  if (c.published == nullptr) return "";
  const PublishedFigure& figure = *c.published;
  return absl::StrCat(
      "published ",
      figure.a_ms > 0 ? absl::StrFormat("%.3f / %.3f ms, ", figure.a_ms, figure.b_ms) : "",
      figure.ratio > 0 ? absl::StrFormat("%.3f ", figure.ratio) : "", WinnerOf(figure));
}

/// Returns "| 0.137 ms | 0.123 ms | 1.11 b |". Unknown values are left empty.
std::string MarkdownCells(double a_ms, double b_ms, double ratio, const char* winner) {
  std::string cells = "|";
  for (const double ms : {a_ms, b_ms}) {
    absl::StrAppend(&cells, ms > 0 ? absl::StrFormat(" %.3f ms |", ms) : " |");
  }
  if (ratio > 0) absl::StrAppendFormat(&cells, " %.2f", ratio);
  return absl::StrCat(cells, *winner == 0 ? "" : " ", winner, " |");
}

/// Returns the geometric mean of ratios.
class Mean {
 public:
  void Add(double ratio) {
    logarithms_ += std::log(ratio);
    ++count_;
  }
  int count() const { return count_; }
  double value() const { return std::exp(logarithms_ / count_); }

 private:
  double logarithms_ = 0;
  int count_ = 0;
};

/// Returns this table's figures next to the published ones.
std::string BesidePublished(const std::vector<Comparison>& rows,
                            const PublishedComparison& published) {
  Mean ours, theirs, of_mean;
  int same = 0, known = 0;
  for (const Comparison& c : rows) {
    if (!c.both()) continue;
    if (published.is_of_mean != nullptr && published.is_of_mean(c.problem)) of_mean.Add(c.ratio());
    if (c.published == nullptr) continue;
    ++known;
    same += HasSameWinner(c);
    if (c.published->ratio == 0) continue;
    ours.Add(c.ratio());
    theirs.Add(c.published->ratio);
  }
  std::string text;
  if (known > 0) {
    absl::StrAppendFormat(
        &text, "Of %d problems whose winner was published it is the same on %d.\n", known, same);
  }
  if (ours.count() > 0) {
    absl::StrAppendFormat(
        &text, "Geometric mean of a/b on the %d problems with figures: %.3f, published %.3f.\n",
        ours.count(), ours.value(), theirs.value());
  }
  if (of_mean.count() > 0) {
    absl::StrAppendFormat(&text,
                          "Geometric mean of a/b on the %d problems of %s: %.3f, published %.2f.\n",
                          of_mean.count(), published.mean_of, of_mean.value(), published.mean);
  }
  absl::StrAppend(&text, "Published: ", published.published, ".\n");
  if (!published.unnamed.empty()) absl::StrAppend(&text, "Not here: ", published.unnamed, ".\n");
  return text;
}

llvm::json::Object ToJson(const ComparedSide& side) {
  llvm::json::Object object;
  if (side.plan) {
    object["instance"] = side.plan->instance();
    object["us"] = JsonNumber(side.us());
  }
  if (!side.reason.empty()) object["reason"] = side.reason;
  if (const auto valu = ValuPerMatrix(side)) object["valu_per_mma"] = *valu;
  return object;
}

llvm::json::Object ToJson(const Comparison& c) {
  llvm::json::Object object{{"name", c.name},
                            {"direction", KindOf(c.problem)},
                            {"sizes", ToString(c.problem)},
                            {"a", ToJson(c.a)},
                            {"b", ToJson(c.b)},
                            {"winner", c.winner()}};
  if (c.both()) object["ratio"] = JsonNumber(c.ratio());
  if (c.published == nullptr) return object;
  llvm::json::Object published{{"winner", WinnerOf(*c.published)}};
  if (c.published->ratio > 0) published["ratio"] = c.published->ratio;
  object["published"] = std::move(published);
  return object;
}

}  // namespace

const char* Comparison::winner() const {
  if (!both()) return a.plan && !b.plan ? "a" : b.plan && !a.plan ? "b" : "-";
  return WinnerOf(ratio());
}

std::string ToText(const Comparison& c) {
  std::string text = absl::StrFormat(
      "%-18s %-10s  a %-28s b %-28s %s %s", c.name, KindOf(c.problem), FormatTime(c.a),
      FormatTime(c.b), c.both() ? absl::StrFormat("%.3f", c.ratio()) : "    -", c.winner());
  absl::StrAppend(&text, c.published == nullptr ? "" : "  ", PublishedOf(c), "\n");
  for (const auto& [name, side] : {std::pair("a", &c.a), {"b", &c.b}}) {
    if (side->reason.empty()) continue;
    absl::StrAppendFormat(&text, "    %s: %s\n", name,
                          side->reason.substr(0, side->reason.find('\n')));
  }
  return text;
}

int ComparisonTable::failed() const {
  int failed = 0;
  for (const Comparison& c : rows) failed += c.a.failed + c.b.failed;
  return failed;
}

std::string ComparisonTable::Summary() const {
  double max_a = 0, max_b = 0;
  Mean mean;
  int a_wins = 0, b_wins = 0;
  bool measured = false;
  for (const Comparison& c : rows) {
    measured |= c.a.timing && c.a.timing->measured;
    if (!c.both()) continue;
    mean.Add(c.ratio());
    a_wins += *c.winner() == 'a';
    b_wins += *c.winner() == 'b';
    max_a = std::max(max_a, 1 / c.ratio());
    max_b = std::max(max_b, c.ratio());
  }
  std::string text = absl::StrFormat(
      "%d problems, of which both compute %d: a is faster on %d, b on %d, equal on %d\n",
      rows.size(), mean.count(), a_wins, b_wins, mean.count() - a_wins - b_wins);
  if (mean.count() > 0) {
    absl::StrAppendFormat(
        &text,
        "geometric mean of a/b: %.3f; a is at most %.2f times as fast as b, and b "
        "%.2f times as a\n",
        mean.value(), max_a, max_b);
  }
  absl::StrAppendFormat(&text, "Times are %s%s%s%s.\n",
                        measured ? "measured"
                        : timed  ? "by the simulator's clock, not measurements"
                                 : "the planner's estimates, not measurements",
                        measured || note.empty() ? "" : "; ", measured ? "" : note,
                        !verified       ? ""
                        : failed() == 0 ? "; all results are right"
                                        : absl::StrCat("; ", failed(),
                                                       " results are wrong or "
                                                       "missing"));
  if (published == nullptr) return text;
  if (device != published->device) {
    absl::StrAppend(&text, "They are of ", device, "; what was published is of ", published->device,
                    ".\n");
  }
  return text + BesidePublished(rows, *published);
}

std::string ComparisonTable::ToCsv() const {
  std::string csv = JoinCsvLine(Columns()) + "\n";
  for (const Comparison& c : rows) absl::StrAppend(&csv, JoinCsvLine(Fields(c)), "\n");
  return csv;
}

std::string ComparisonTable::ToMarkdown() const {
  std::string text = "| | a | b | a/b |";
  if (published != nullptr) absl::StrAppend(&text, " published a | published b | published a/b |");
  absl::StrAppend(
      &text, published == nullptr ? "\n|---|---|---|---|\n" : "\n|---|---|---|---|---|---|---|\n");
  for (const Comparison& c : rows) {
    std::string cells =
        MarkdownCells(c.a.plan ? c.a.us() * 1e-3 : 0, c.b.plan ? c.b.us() * 1e-3 : 0,
                      c.both() ? c.ratio() : 0, c.winner());
    if (published != nullptr) {
      const PublishedFigure none, &figure = c.published == nullptr ? none : *c.published;
      cells.pop_back();
      absl::StrAppend(&cells, MarkdownCells(figure.a_ms, figure.b_ms, figure.ratio,
                                            c.published == nullptr ? "" : WinnerOf(figure)));
    }
    absl::StrAppend(&text, "| `", c.name, "` ", cells, "\n");
  }
  return absl::StrCat(text, "\n", Summary());
}

std::string ComparisonTable::ToPage() const {
  const std::string name_a = a.empty() ? "any" : a, name_b = b.empty() ? "any" : b;
  llvm::json::Array list, summary;
  for (const Comparison& c : rows) list.push_back(ToJson(c));
  for (const std::string_view line : absl::StrSplit(Summary(), '\n', absl::SkipEmpty())) {
    summary.push_back(std::string(line));
  }
  return MakePage(PageKind::kComparison, absl::StrCat(name_a, " against ", name_b, " on ", device),
                  JsonText(llvm::json::Object{{"device", device},
                                              {"a", name_a},
                                              {"b", name_b},
                                              {"published", published != nullptr},
                                              {"summary", std::move(summary)},
                                              {"rows", std::move(list)}}));
}

}  // namespace gridwise
