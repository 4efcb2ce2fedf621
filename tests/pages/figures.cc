// SPDX-License-Identifier: MIT
#include "tests/pages/figures.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace gridwise {
namespace {

constexpr double kTolerance = 0.02;

/// A part of a pattern.
struct Part {
  enum Kind { kText, kFigure, kAnyNumber, kAnyText };
  Kind kind = kText;
  std::string text = "";
  double factor = 1;
};

std::string OneSpace(std::string_view text) {
  return absl::StrJoin(absl::StrSplit(text, absl::ByAnyChar(" \t\r\n"), absl::SkipEmpty()), " ");
}

absl::StatusOr<std::vector<Part>> Parts(std::string_view pattern) {
  const std::string line = OneSpace(pattern);
  std::vector<Part> parts;
  for (std::string_view rest = line; !rest.empty();) {
    if (absl::ConsumePrefix(&rest, "{any}")) {
      parts.push_back({.kind = Part::kAnyNumber});
    } else if (absl::ConsumePrefix(&rest, "...")) {
      parts.push_back({.kind = Part::kAnyText});
    } else if (absl::ConsumePrefix(&rest, "{")) {
      const std::size_t end = rest.find('}');
      Part part{.kind = Part::kFigure};
      std::string_view factor = rest.substr(0, end);
      if (end == rest.npos || (!factor.empty() && (!absl::ConsumePrefix(&factor, "x") ||
                                                   !absl::SimpleAtod(factor, &part.factor)))) {
        return absl::InvalidArgumentError(
            absl::StrCat("'", line, "': braces hold nothing, any, or x and a factor"));
      }
      parts.push_back(part);
      rest.remove_prefix(end + 1);
    } else {
      const std::size_t end = std::min(rest.find('{'), rest.find("..."));
      parts.push_back({.kind = Part::kText, .text = std::string(rest.substr(0, end))});
      rest.remove_prefix(std::min(end, rest.size()));
    }
  }
  return parts;
}

/// How many characters of a number `text` begins with.
std::size_t NumberLength(std::string_view text) {
  const auto digits_at = [&](std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && absl::ascii_isdigit(text[end])) ++end;
    return end - at;
  };
  std::size_t end = digits_at(0);
  while (end > 0 && end <= text.size() && text.substr(end, 1) == "," && digits_at(end + 1) == 3) {
    end += 4;
  }
  if (end > 0 && text.substr(end, 1) == "." && digits_at(end + 1) > 0) {
    end += 1 + digits_at(end + 1);
  }
  return end;
}

Figure ReadFigure(std::string_view number, double factor) {
  Figure figure{.factor = factor};
  const std::size_t point = number.find('.');
  const std::size_t decimals = point == number.npos ? 0 : number.size() - point - 1;
  figure.half_digit = 0.5 * std::pow(10, -static_cast<double>(decimals));
  if (!absl::SimpleAtod(absl::StrReplaceAll(number, {{",", ""}}), &figure.value)) figure.value = -1;
  return figure;
}

/// The figures of `parts` from their one at `part` on, if `text` goes on with them.
std::optional<std::vector<Figure>> Match(std::string_view text, const std::vector<Part>& parts,
                                         std::size_t part) {
  std::vector<Figure> figures;
  for (; part < parts.size(); ++part) {
    if (parts[part].kind == Part::kText) {
      if (!absl::ConsumePrefix(&text, parts[part].text)) return std::nullopt;
    } else if (parts[part].kind == Part::kAnyText) {
      for (; !text.empty(); text.remove_prefix(1)) {
        if (auto rest = Match(text, parts, part + 1)) {
          figures.insert(figures.end(), rest->begin(), rest->end());
          return figures;
        }
      }
      return std::nullopt;
    } else {
      const std::size_t length = NumberLength(text);
      if (length == 0) return std::nullopt;
      if (parts[part].kind == Part::kFigure) {
        figures.push_back(ReadFigure(text.substr(0, length), parts[part].factor));
      }
      text.remove_prefix(length);
    }
  }
  return figures;
}

}  // namespace

absl::StatusOr<std::vector<FigureCommand>> ParseFigureCommands(std::string_view text) {
  std::vector<FigureCommand> commands;
  std::string page;
  for (std::string_view line : absl::StrSplit(text, '\n')) {
    const bool is_place = line.starts_with("  ");
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line.starts_with("//")) continue;
    if (is_place) {
      if (commands.empty() || page.empty()) {
        return absl::InvalidArgumentError(absl::StrCat("'", line, "' is of no command or page"));
      }
      const std::vector<std::string_view> sides = absl::StrSplit(line, " => ");
      commands.back().places.push_back(
          {page, std::string(sides.front()), std::string(sides.back())});
    } else if (line.ends_with(".md")) {
      page = line;
    } else {
      const std::pair<std::string_view, std::string_view> sides =
          absl::StrSplit(line, absl::MaxSplits(": ", 1));
      const std::vector<std::string> words = absl::StrSplit(sides.first, ' ');
      if (words.size() != 2 || (words[0] != "smoke" && words[0] != "nightly")) {
        return absl::InvalidArgumentError(
            absl::StrCat("'", line, "' must be 'smoke' or 'nightly', a target, ':' and a command"));
      }
      commands.push_back({words[0], words[1], std::string(sides.second), {}});
      page.clear();
    }
  }
  return commands;
}

absl::StatusOr<std::vector<Figure>> FindFigures(std::string_view text, std::string_view pattern) {
  const absl::StatusOr<std::vector<Part>> parts = Parts(pattern);
  if (!parts.ok()) return parts.status();
  if (parts->empty() || parts->front().kind != Part::kText) {
    return absl::InvalidArgumentError(absl::StrCat("'", pattern, "' must begin with text"));
  }
  const std::string line = OneSpace(text);
  std::vector<Figure> found;
  int places = 0;
  for (std::size_t at = line.find(parts->front().text); at != line.npos;
       at = line.find(parts->front().text, at + 1)) {
    if (auto figures = Match(std::string_view(line).substr(at), *parts, 0)) {
      found = *std::move(figures);
      ++places;
    }
  }
  if (places == 1) return found;
  return absl::NotFoundError(
      absl::StrCat("'", pattern, "' must be in one place; it is in ", places));
}

absl::Status CompareFigures(std::string_view page, std::string_view output,
                            const FigurePlace& place) {
  const absl::StatusOr<std::vector<Figure>> stated = FindFigures(page, place.on_page);
  if (!stated.ok()) return absl::NotFoundError(absl::StrCat("page: ", stated.status().message()));
  const absl::StatusOr<std::vector<Figure>> said = FindFigures(output, place.in_output);
  if (!said.ok()) return absl::NotFoundError(absl::StrCat("output: ", said.status().message()));
  if (stated->size() != said->size() || stated->empty()) {
    return absl::InvalidArgumentError(absl::StrCat("'", place.on_page, "' has ", stated->size(),
                                                   " figures, '", place.in_output, "' ",
                                                   said->size()));
  }
  for (std::size_t i = 0; i < stated->size(); ++i) {
    const Figure& a = (*stated)[i];
    const double value = a.factor * (*said)[i].value;
    // What both leave out; whole numbers on both sides are counts.
    const double half = a.factor * (*said)[i].half_digit;
    const double slack = a.half_digit == 0.5 && half == 0.5 ? 0 : a.half_digit + half;
    if (std::abs(a.value - value) > kTolerance * std::abs(value) + slack) {
      return absl::FailedPreconditionError(absl::StrCat(
          "'", place.on_page, "': figure ", i + 1, " is ", a.value, "; the command says ", value));
    }
  }
  return absl::OkStatus();
}

absl::Status CompareTable(std::string_view page, std::string_view title, std::string_view output) {
  const std::size_t begin = page.find(absl::StrCat("\n", title, "\n"));
  if (begin == page.npos) return absl::NotFoundError(absl::StrCat("no section is '", title, "'"));
  const std::string_view section = page.substr(begin, page.find("\n#", begin + 1) - begin);
  int lines = 0;
  for (const std::string_view line : absl::StrSplit(output, '\n')) {
    if (!line.starts_with("| `")) continue;
    std::string pattern;
    for (std::string_view rest = line; !rest.empty();) {
      const std::size_t length = pattern.ends_with(' ') ? NumberLength(rest) : 0;
      absl::StrAppend(&pattern, length > 0 ? "{}" : rest.substr(0, 1));
      rest.remove_prefix(length > 0 ? length : 1);
    }
    if (absl::Status status = CompareFigures(section, line, {"", pattern, pattern}); !status.ok()) {
      return status;
    }
    ++lines;
  }
  if (lines > 0) return absl::OkStatus();
  return absl::NotFoundError("the output has no table whose lines begin with a name");
}

}  // namespace gridwise
