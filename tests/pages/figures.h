// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

/// Figures that pages for readers state, and the commands that say them: figures.txt.

namespace gridwise {

/// A place of a page, and what a command prints of the same figures. Both are patterns:
///   {}       a figure, as 0.07, 1,024 or 97
///   {x1000}  on a page: a figure that is 1000 times the output's
///   {any}    a number that is not looked at
///   ...      any text, the least that makes the rest match
/// All else is as it stands, but that any run of spaces and line ends is one space.
struct FigurePlace {
  std::string page;
  std::string on_page;
  std::string in_output;
};

/// A command line of gridwise with the places of its figures.
struct FigureCommand {
  std::string tier;       // of tests: "smoke" or "nightly"
  std::string target;     // that the program is built for
  std::string arguments;  // after "gridwise"
  std::vector<FigurePlace> places;
};

/// What figures.txt says: a line `tier target: arguments`, then pages, then indented lines of
/// patterns. `on page => in output`, or one pattern that is both. Lines that begin with // are
/// comments.
absl::StatusOr<std::vector<FigureCommand>> ParseFigureCommands(std::string_view text);

/// The figures of the one place of `text` that has the pattern, with what half of their last digit
/// is worth.
struct Figure {
  double value = 0;
  double half_digit = 0;
  double factor = 1;  // of {x1000}
};
absl::StatusOr<std::vector<Figure>> FindFigures(std::string_view text, std::string_view pattern);

/// Whether the page has the output's figures to 2 %, beyond the digits that both leave out; if not,
/// which it has not.
absl::Status CompareFigures(std::string_view page, std::string_view output,
                            const FigurePlace& place);

/// A place of a whole table: `{table} ### Title`.
inline constexpr std::string_view kTable = "{table} ";

/// The same of every line of a Markdown table that the output holds, whose figures stand after
/// spaces, in the section of the page with this title, as "### Title".
absl::Status CompareTable(std::string_view page, std::string_view title, std::string_view output);

}  // namespace gridwise
