// SPDX-License-Identifier: MIT
#include "core/text/fields_text.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"

namespace gridwise::fields_internal {

void NameReader::Fail(std::string_view expected) {
  if (!status_.ok()) return;
  const size_t at = text_.size() - rest_.size();
  status_ = absl::InvalidArgumentError(absl::StrFormat(
      "name \"%s\" has \"%s\" at character %d; must have %s there", text_, rest_, at, expected));
}

void NameReader::Expect(std::string_view literal) {
  if (status_.ok() && !absl::ConsumePrefix(&rest_, literal)) {
    Fail(absl::StrCat("\"", literal, "\""));
  }
}

int64_t NameReader::ReadInt(int64_t low, int64_t high) {
  if (!status_.ok()) return low;
  size_t length = rest_.starts_with('-') ? 1 : 0;
  while (length < rest_.size() && absl::ascii_isdigit(rest_[length])) ++length;
  int64_t value = 0;
  if (!absl::SimpleAtoi(rest_.substr(0, length), &value) || value < low || value > high) {
    Fail(absl::StrFormat("an integer from %d to %d", low, high));
    return low;
  }
  rest_.remove_prefix(length);
  return value;
}

int NameReader::ReadName(const char* (*name)(int)) {
  constexpr std::string_view kNotAnEnumerator = "?";
  int best = 0;
  std::string_view longest;
  std::string known;
  for (int i = 0; i < 256; ++i) {
    const std::string_view candidate = name(i);
    if (candidate == kNotAnEnumerator) continue;
    absl::StrAppend(&known, known.empty() ? "" : ", ", candidate);
    if (rest_.starts_with(candidate) && candidate.size() > longest.size()) {
      best = i;
      longest = candidate;
    }
  }
  if (longest.empty()) Fail(absl::StrCat("one of ", known));
  rest_.remove_prefix(longest.size());
  return best;
}

absl::Status NameReader::Finish(std::string_view printed) {
  if (!rest_.empty()) Fail("its end");
  if (status_.ok() && text_ != printed) {
    status_ = absl::InvalidArgumentError(
        absl::StrFormat("name \"%s\" must be spelled \"%s\"", text_, printed));
  }
  return status_;
}

}  // namespace gridwise::fields_internal
