#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>

namespace gridwise {

/// What about a problem an instance cannot compute, for programs. Values stay: they are the C API's
/// too.
enum class RefusalCode : int {
  kOther = 0,      // the sentence says it alone
  kType = 1,       // of operands or output
  kDirection = 2,  //
  kLayout = 3,     // where elements lie in memory
  kChannels = 4,   // of a group: how many, or what divides them
  kGroups = 5,     // how many, or how they lie
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

/// Why an instance cannot compute a problem: the sentence has the values that matter.
struct Refusal {
  RefusalCode code = RefusalCode::kOther;
  std::string reason;

  Refusal(RefusalCode why, std::string sentence) : code(why), reason(std::move(sentence)) {}
  Refusal(std::convertible_to<std::string> auto sentence)  // NOLINT: a sentence alone
      : reason(std::move(sentence)) {}
};

}  // namespace gridwise
