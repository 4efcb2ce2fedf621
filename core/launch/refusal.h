// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/strings/str_format.h"

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
/// The sentence is made when it is read: planning refuses most instances, and reads their sentences
/// only if no instance computes the problem.
class Refusal {
 public:
  Refusal(RefusalCode code, absl::AnyInvocable<std::string() const> say)
      : code_(code), say_(std::move(say)) {}
  Refusal(RefusalCode code, std::string sentence)
      : Refusal(code, [sentence = std::move(sentence)] { return sentence; }) {}
  Refusal(std::convertible_to<std::string> auto sentence)  // NOLINT: a sentence alone
      : Refusal(RefusalCode::kOther, std::string(std::move(sentence))) {}

  RefusalCode code() const { return code_; }
  std::string reason() const { return say_(); }

 private:
  RefusalCode code_;
  absl::AnyInvocable<std::string() const> say_;
};

/// Returns the sentence; "" if there is no refusal.
inline std::string Why(const std::optional<Refusal>& refusal) {
  return refusal ? refusal->reason() : "";
}

/// A literal as a template argument.
template <std::size_t kSize>
struct Literal {
  char text[kSize];
  consteval Literal(const char (&from)[kSize]) { std::copy_n(from, kSize, text); }  // NOLINT
};

/// Returns a refusal that says absl::StrFormat(kFormat, values...). It keeps the values, but not
/// what pointers point to:
///
///   return Refuse<"groups is %d; the instance merges %d">(RefusalCode::kGroups, groups, merge);
template <Literal kFormat, class... Values>
Refusal Refuse(RefusalCode code, Values... values) {
  return {code,
          [... values = std::move(values)] { return absl::StrFormat(kFormat.text, values...); }};
}
template <Literal kFormat, class... Values>
Refusal Refuse(Values... values) {
  return Refuse<kFormat>(RefusalCode::kOther, std::move(values)...);
}

}  // namespace gridwise
