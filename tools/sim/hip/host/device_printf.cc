// SPDX-License-Identifier: MIT
#include "tools/sim/hip/host/device_printf.h"

#include <bit>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "core/base/math.h"

namespace gridwise::sim {
namespace {

/// The message's words, taken one after the other.
class Words {
 public:
  explicit Words(std::span<const uint64_t> words) : words_(words) {}

  std::optional<uint64_t> Word() {
    if (words_.empty()) return std::nullopt;
    const uint64_t word = words_.front();
    words_ = words_.subspan(1);
    return word;
  }

  /// Null: it does not end.
  const char* String() {
    const auto* text = reinterpret_cast<const char*>(words_.data());
    const void* end = words_.empty() ? nullptr : std::memchr(text, 0, words_.size_bytes());
    if (end == nullptr) return nullptr;
    const auto bytes = static_cast<size_t>(static_cast<const char*>(end) - text) + 1;
    words_ = words_.subspan(CeilDiv(bytes, sizeof(uint64_t)));
    return text;
  }

 private:
  std::span<const uint64_t> words_;
};

/// A conversion without its '%': how many '*' it has, the length modifier, the letter.
struct Conversion {
  int stars = 0;
  std::string_view length;
  char letter = 0;
};

/// Takes the conversion off the start of `text`.
Conversion TakeConversion(std::string_view& text) {
  Conversion conversion;
  size_t i = 0;
  for (; i < text.size() && absl::StrContains("-+ #0123456789.*", text[i]); ++i)
    conversion.stars += text[i] == '*';
  const size_t length = i;
  while (i < text.size() && absl::StrContains("hljztLq", text[i])) ++i;
  conversion.length = text.substr(length, i - length);
  if (i < text.size()) conversion.letter = text[i++];
  text.remove_prefix(i);
  return conversion;
}

/// The integer that C's printf would read of `word`.
absl::FormatArg Integer(uint64_t word, std::string_view length, bool is_signed) {
  const int bits = length == "hh" ? 8 : length == "h" ? 16 : length.empty() ? 32 : 64;
  const uint64_t high = word << (64 - bits);
  if (is_signed) return absl::FormatArg(static_cast<int64_t>(high) >> (64 - bits));
  return absl::FormatArg(high >> (64 - bits));
}

absl::Status AppendArguments(const Conversion& conversion, Words& words,
                             std::vector<absl::FormatArg>& arguments) {
  const auto missing = [&] {
    return absl::InvalidArgumentError(
        absl::StrFormat("there is no argument for a conversion to '%c'", conversion.letter));
  };
  for (int i = 0; i < conversion.stars; ++i) {
    const std::optional<uint64_t> word = words.Word();
    if (!word) return missing();
    arguments.emplace_back(static_cast<int>(*word));
  }
  if (conversion.letter == 's') {
    const char* text = words.String();
    if (text == nullptr) return missing();
    arguments.emplace_back(text);
    return absl::OkStatus();
  }
  const std::optional<uint64_t> word = words.Word();
  if (!word) return missing();
  if (conversion.letter == 'c') {
    arguments.emplace_back(static_cast<char>(*word));
  } else if (conversion.letter == 'p') {
    arguments.emplace_back(reinterpret_cast<const void*>(*word));
  } else if (absl::StrContains("aAeEfFgG", conversion.letter)) {
    arguments.emplace_back(std::bit_cast<double>(*word));
  } else if (absl::StrContains("diouxX", conversion.letter)) {
    const bool is_signed = conversion.letter == 'd' || conversion.letter == 'i';
    arguments.push_back(Integer(*word, conversion.length, is_signed));
  } else {
    return absl::InvalidArgumentError(
        absl::StrFormat("a conversion to '%c' is not supported", conversion.letter));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> FormatDevicePrintf(std::span<const uint64_t> message) {
  Words words(message);
  const char* format = words.String();
  if (format == nullptr) return absl::InvalidArgumentError("the format does not end");
  std::vector<absl::FormatArg> arguments;
  std::string_view rest = format;
  for (size_t next; (next = rest.find('%')) != std::string_view::npos;) {
    rest.remove_prefix(next + 1);
    if (absl::ConsumePrefix(&rest, "%")) continue;
    const Conversion conversion = TakeConversion(rest);
    if (absl::Status s = AppendArguments(conversion, words, arguments); !s.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("format '", format, "': ", s.message()));
    }
  }
  std::string text;
  if (!absl::FormatUntyped(&text, absl::UntypedFormatSpec(format), arguments))
    return absl::InvalidArgumentError(absl::StrCat("format '", format, "' is not one of C's"));
  return text;
}

}  // namespace gridwise::sim
