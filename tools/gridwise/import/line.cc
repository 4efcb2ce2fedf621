// SPDX-License-Identifier: MIT
#include "tools/gridwise/import/line.h"

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/conv/validate.h"

namespace gridwise {

absl::StatusOr<std::int64_t> ReadImportedNumber(std::string_view what, std::string_view text,
                                                std::int64_t most) {
  std::int64_t value = 0;
  if (absl::SimpleAtoi(text, &value) && value <= most && value >= -most) return value;
  return absl::InvalidArgumentError(
      absl::StrFormat("%s is '%s'; must be an integer of at most %d", what, text, most));
}

absl::StatusOr<std::vector<std::int64_t>> ReadImportedNumbers(std::string_view what,
                                                              std::string_view text, char separator,
                                                              std::int64_t most) {
  std::vector<std::int64_t> values;
  for (const std::string_view part : absl::StrSplit(text, separator)) {
    const absl::StatusOr<std::int64_t> value = ReadImportedNumber(what, part, most);
    if (!value.ok()) return value.status();
    values.push_back(*value);
  }
  return values;
}

std::string_view Between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t start = text.find(begin);
  if (start == text.npos) return "";
  text.remove_prefix(start + begin.size());
  const std::size_t length = text.find(end);
  return length == text.npos ? "" : text.substr(0, length);
}

std::vector<std::string_view> SplitWords(std::string_view line) {
  return absl::StrSplit(line, absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
}

std::vector<std::string_view> SplitList(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && absl::StrContains("([{", text[i])) ++depth;
    if (i < text.size() && absl::StrContains(")]}", text[i])) --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    parts.push_back(absl::StripAsciiWhitespace(text.substr(start, i - start)));
    start = i + 1;
  }
  return parts;
}

std::size_t FindClosing(std::string_view text, std::string_view opening, std::string_view closing) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (absl::StrContains(opening, text[i])) ++depth;
    if (absl::StrContains(closing, text[i]) && --depth == 0) return i;
  }
  return text.npos;
}

std::vector<std::string_view> FindCommand(std::string_view line, std::string_view program) {
  std::vector<std::string_view> words = SplitWords(line);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i].substr(words[i].rfind('/') + 1);  // npos + 1 is 0
    if (word == program) return {words.begin() + static_cast<std::ptrdiff_t>(i), words.end()};
  }
  return {};
}

std::vector<Dim*> AxesOf(ConvProblem& problem) {
  std::vector<Dim*> axes;
  for (std::size_t axis = 3 - static_cast<std::size_t>(problem.rank); axis < 3; ++axis) {
    axes.push_back(&problem.dims[axis]);
  }
  return axes;
}

absl::Status CheckOutput(const ConvProblem& problem, const std::vector<std::int64_t>& out) {
  if (absl::Status status = Validate(problem); !status.ok()) return status;
  std::vector<std::int64_t> ours;
  for (std::size_t axis = 3 - static_cast<std::size_t>(problem.rank); axis < 3; ++axis) {
    ours.push_back(problem.dims[axis].out());
  }
  if (ours == out) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat(
      "the output is %s; these sizes make %s", absl::StrJoin(out, "x"), absl::StrJoin(ours, "x")));
}

}  // namespace gridwise
