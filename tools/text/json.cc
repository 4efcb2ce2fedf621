// SPDX-License-Identifier: MIT
#include "tools/text/json.h"

#include <algorithm>
#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "llvm/Support/raw_ostream.h"

namespace gridwise {
namespace {

constexpr int kMaxLevels = 200;

/// The number of levels of arrays and objects.
int LevelsOf(std::string_view text) {
  int level = 0, most = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\') {
      ++i;
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && (c == '[' || c == '{')) {
      most = std::max(most, ++level);
    } else if (!in_string && (c == ']' || c == '}')) {
      --level;
    }
  }
  return most;
}

}  // namespace

absl::StatusOr<llvm::json::Value> ParseJson(std::string_view text) {
  if (const int levels = LevelsOf(text); levels > kMaxLevels) {
    return absl::InvalidArgumentError(absl::StrCat(
        "JSON has ", levels, " levels of arrays and objects; at most ", kMaxLevels, " are read"));
  }
  const llvm::StringRef document(text.data(), text.size());
  llvm::Expected<llvm::json::Value> parsed = llvm::json::isUTF8(document)
                                                 ? llvm::json::parse(document)
                                                 : llvm::json::parse(llvm::json::fixUTF8(document));
  if (parsed) return *std::move(parsed);
  return absl::InvalidArgumentError(absl::StrCat("not JSON: ", llvm::toString(parsed.takeError())));
}

std::string JsonText(const llvm::json::Value& value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << value;
  return text;
}

}  // namespace gridwise
