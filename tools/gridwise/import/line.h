// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/conv/problem.h"

namespace gridwise {

/// What a line of a text, or a node of a model, says about convolutions.
struct ImportedItem {
  const char* kind = "";                   // what it is a line of: "MIOpenDriver command lines"
  std::vector<ConvProblem> problems = {};  // one for each direction
  std::string skipped = {};                // if there are none: what it is instead, as "pool"
  std::string name = {};                   // of the layer, if the source has one
  std::string note = {};                   // what the problems leave out or differ in
  bool is_search = false;  // a search for kernels: counts only where no execution is listed

  static ImportedItem Skip(const char* kind, std::string_view what) {
    return {.kind = kind, .skipped = std::string(what.empty() ? "without a name" : what)};
  }
};

/// What a line says: nullopt if it is of another kind, and an error, a sentence with values, if it
/// is of this kind and wrong, or asks for what Gridwise does not have.
using ImportedLine = absl::StatusOr<std::optional<ImportedItem>>;

/// What a LineReader is given after a text's last line: it says what is incomplete.
inline constexpr std::string_view kEndOfText = "\x04";
/// Reads the lines of a text, in their order.
using LineReader = std::function<ImportedLine(std::string_view line)>;

/// A number of the source. Larger ones than this are errors, so that sums and products of two
/// numbers do not overflow; no valid problem has them (core/conv/limits.h).
inline constexpr std::int64_t kMaxImportedNumber = std::int64_t{1} << 30;
/// Strides, of which none is multiplied, have no limit.
inline constexpr std::int64_t kMaxImportedStride = std::numeric_limits<std::int64_t>::max();
/// Parses a number of at most that absolute value. Errors: "`what` is 'x'; must be an integer ...".
absl::StatusOr<std::int64_t> ReadImportedNumber(std::string_view what, std::string_view text,
                                                std::int64_t most = kMaxImportedNumber);
/// The same for numbers that are joined, such as "3x3".
absl::StatusOr<std::vector<std::int64_t>> ReadImportedNumbers(
    std::string_view what, std::string_view text, char separator,
    std::int64_t most = kMaxImportedNumber);

/// What is between `begin` and the next `end`; empty if they are not there.
std::string_view Between(std::string_view text, std::string_view begin, std::string_view end);

/// The words of a line, which blanks separate.
std::vector<std::string_view> SplitWords(std::string_view line);

/// The parts of a list between commas that are in no brackets, without blanks around them.
std::vector<std::string_view> SplitList(std::string_view text);

/// The index at which the bracket that begins `text` is closed; npos if it is not. Brackets are the
/// characters of `opening` and `closing`, and one of any kind closes another.
std::size_t FindClosing(std::string_view text, std::string_view opening = "(",
                        std::string_view closing = ")");

/// The words from the first one on whose last part, after any '/', is `program`; none if no word
/// is.
std::vector<std::string_view> FindCommand(std::string_view line, std::string_view program);

/// The axes of the problem that its rank uses, outermost first.
std::vector<Dim*> AxesOf(ConvProblem& problem);

/// OK if `problem` is valid and its outputs have the sizes that the source says, of the axes that
/// its rank uses, outermost first.
absl::Status CheckOutput(const ConvProblem& problem, const std::vector<std::int64_t>& out);

/// What a source that has weights in the order K, C, Y, X is told.
inline constexpr char kWeightsDiffer[] = "its weights are KCYX";

}  // namespace gridwise
