// SPDX-License-Identifier: MIT
/// What the fuzz tests of the importers check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/log/check.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_split.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "core/conv/validate.h"
#include "tools/gridwise/import/line.h"
#include "tools/text/json.h"

namespace gridwise {

/// What is read is said: problems, which Validate accepts or refuses with a sentence, or what there
/// is instead; and so are errors.
inline void CheckRead(const ImportedLine& read) {
  if (!read.ok()) {
    CHECK(!read.status().message().empty());
    return;
  }
  if (!read->has_value()) return;
  const ImportedItem& item = **read;
  CHECK(!std::string_view(item.kind).empty());
  CHECK(!item.problems.empty() || !item.skipped.empty());
  for (const ConvProblem& problem : item.problems) {
    const absl::Status valid = Validate(problem);
    CHECK(!(valid.ok() ? ToString(problem) : valid.message()).empty());
  }
}

/// Reads the lines of a text.
inline int FuzzLines(const LineReader& reader, const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const std::string_view line : absl::StrSplit(text, '\n')) CheckRead(reader(line));
  return 0;
}

/// Reads a document of JSON. `for_each` calls its second argument for what is in the document.
template <class ForEach>
int FuzzJson(const ForEach& for_each, const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = ParseJson(text);
  if (!document.ok()) return 0;
  for_each(*document, [](const auto&, const ImportedLine& read) { CheckRead(read); });
  return 0;
}

}  // namespace gridwise
