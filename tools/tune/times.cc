// SPDX-License-Identifier: MIT
#include "tools/tune/times.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/text/csv.h"

namespace gridwise {
namespace {

using Fields = std::vector<std::string>;

/// The columns that are read, by the header line.
class Columns {
 public:
  /// Whether those are there that must be.
  bool Read(const Fields& header) {
    at_.clear();
    for (std::size_t i = 0; i < header.size(); ++i) at_.emplace(header[i], i);
    return std::ranges::all_of(
        std::initializer_list<const char*>{"problem", "device", "sizes", "instance", "result",
                                           "estimate_us", "ms"},
        [this](const char* name) { return at_.contains(name); });
  }
  std::size_t width() const { return at_.size(); }

  /// Empty where there is no such column.
  std::string Text(const Fields& fields, const std::string& name) const {
    const auto found = at_.find(name);
    return found == at_.end() ? "" : fields[found->second];
  }
  double Number(const Fields& fields, const std::string& name) const {
    double value = 0;
    return absl::SimpleAtod(Text(fields, name), &value) ? value : 0;
  }

 private:
  std::map<std::string, std::size_t> at_;
};

class Reader {
 public:
  absl::Status Add(const Fields& fields, const Columns& columns) {
    const std::string result = columns.Text(fields, "result");
    if (result != "timed" && result != "slower") return absl::OkStatus();
    InstanceTime time = {.instance = columns.Text(fields, "instance"),
                         .splits = static_cast<int>(columns.Number(fields, "splits")),
                         .estimate_us = columns.Number(fields, "estimate_us"),
                         .ms = columns.Number(fields, "ms"),
                         .tflop_per_s = columns.Number(fields, "tflop_per_s"),
                         .at_least = result == "slower",
                         .limiter = columns.Text(fields, "limiter")};
    const std::string name = columns.Text(fields, "problem");
    if (!(time.ms > 0) || !(time.estimate_us > 0)) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "problem %s on instance %s has the time \"%s\" and the estimate \"%s\"", name,
          time.instance, columns.Text(fields, "ms"), columns.Text(fields, "estimate_us")));
    }
    TimedProblem problem = {.name = name,
                            .device = columns.Text(fields, "device"),
                            .sizes = columns.Text(fields, "sizes"),
                            .bound_ms = columns.Number(fields, "bound_ms")};
    // "fwd f16 g1 ...", "fwd i8->f32 g1 ..."
    const std::vector<std::string> words = absl::StrSplit(problem.sizes, ' ');
    if (words.size() < 2) {
      return absl::InvalidArgumentError(
          absl::StrFormat("problem %s has the sizes \"%s\"; must begin with a direction and a type",
                          name, problem.sizes));
    }
    problem.direction = words[0];
    problem.type = words[1];
    TimedProblem& known = Find(std::move(problem));
    std::erase_if(known.times,
                  [&](const InstanceTime& other) { return other.instance == time.instance; });
    known.times.push_back(std::move(time));
    return absl::OkStatus();
  }

  std::vector<TimedProblem> Take() { return std::move(problems_); }

 private:
  TimedProblem& Find(TimedProblem problem) {
    const auto [found, is_new] =
        index_.emplace(std::pair(problem.device, problem.sizes), problems_.size());
    if (is_new) problems_.push_back(std::move(problem));
    return problems_[found->second];
  }

  std::vector<TimedProblem> problems_;
  std::map<std::pair<std::string, std::string>, std::size_t> index_;  // by device and sizes
};

}  // namespace

absl::StatusOr<std::vector<TimedProblem>> ReadTimes(std::string_view csv) {
  Reader reader;
  Columns columns;
  bool is_table = false;
  int number = 0;
  for (std::string_view line : absl::StrSplit(csv, '\n')) {
    ++number;
    line = absl::StripSuffix(line, "\r");
    if (line.empty()) continue;
    const std::optional<Fields> fields = SplitCsvLine(line);
    if (fields && !fields->empty() && fields->front() == "problem") {  // a table begins
      is_table = columns.Read(*fields);
      if (is_table) continue;
    }
    if (!is_table || !fields || fields->size() != columns.width()) {
      return absl::InvalidArgumentError(
          absl::StrFormat("line %d is none of a table of `gridwise sweep --time`", number));
    }
    if (absl::Status status = reader.Add(*fields, columns); !status.ok()) return status;
  }
  return reader.Take();
}

}  // namespace gridwise
