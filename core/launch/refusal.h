// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>

namespace gridwise {

/// The property of a problem that an instance cannot handle, for programs. Values are stable: the C
/// API has the same.
enum class RefusalCode : int {
  kOther = 0,      // only the sentence says it
  kType = 1,       // of operands or output
  kDirection = 2,  //
  kLayout = 3,     // positions of elements in memory
  kChannels = 4,   // per group: their number, or its divisors
  kGroups = 5,     // their number, or their positions
  kFilter = 6,     // its taps, strides, dilations or padding
  kSize = 7,       // too large, or too many launches
};

inline constexpr RefusalCode kAllRefusalCodes[] = {
    RefusalCode::kOther,    RefusalCode::kType,   RefusalCode::kDirection, RefusalCode::kLayout,
    RefusalCode::kChannels, RefusalCode::kGroups, RefusalCode::kFilter,    RefusalCode::kSize};

/// "channels".
constexpr const char* Name(RefusalCode code) {
  constexpr const char* kNames[] = {"other",    "type",   "direction", "layout",
                                    "channels", "groups", "filter",    "size"};
  return kNames[static_cast<int>(code)];
}

/// Why an instance cannot compute a problem: a sentence with the values that matter, and a code.
struct Refusal {
  RefusalCode code = RefusalCode::kOther;
  std::string reason;

  Refusal(RefusalCode why, std::string sentence) : code(why), reason(std::move(sentence)) {}
  Refusal(std::convertible_to<std::string> auto sentence)  // NOLINT: a sentence alone
      : reason(std::move(sentence)) {}
};

}  // namespace gridwise
