// SPDX-License-Identifier: MIT
#include "tools/sim/isa/bind/format.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace gridwise::sim {
namespace {

constexpr std::string_view kNumberNames[] = {"UNORM", "SNORM", "USCALED", "SSCALED",
                                             "UINT",  "SINT",  "",        "FLOAT"};

bool ParseNumberFormat(std::string_view name, NumberFormat& out) {
  for (size_t i = 0; i < std::size(kNumberNames); ++i) {
    if (name.empty() || name != kNumberNames[i]) continue;
    out = static_cast<NumberFormat>(i);
    return true;
  }
  return false;
}

// Widths, highest component first.
bool ParseWidths(const std::vector<std::string_view>& widths, BufferFormat& out) {
  if (widths.empty() || widths.size() > 4) return false;
  for (size_t i = 0; i < 4; ++i) out.bits[i] = 0;
  for (size_t i = 0; i < widths.size(); ++i) {
    uint32_t bits = 0;
    if (!absl::SimpleAtoi(widths[widths.size() - 1 - i], &bits) || bits == 0 || bits > 32)
      return false;
    out.bits[i] = static_cast<uint8_t>(bits);
  }
  return true;
}

}  // namespace

std::optional<BufferFormat> ParseBufferFormat(std::optional<std::string_view> text) {
  BufferFormat format = {{8, 0, 0, 0}, NumberFormat::kUnorm};
  if (!text.has_value()) return format;
  uint32_t number = 0;
  if (absl::SimpleAtoi(*text, &number)) {
    format = UnifiedFormat(number);
    return format.bits[0] == 0 ? std::nullopt : std::optional(format);
  }
  if (!absl::ConsumePrefix(&*text, "[") || !absl::ConsumeSuffix(&*text, "]")) return std::nullopt;
  for (std::string_view name : absl::StrSplit(*text, ',')) {
    if (absl::ConsumePrefix(&name, "BUF_NUM_FORMAT_")) {
      if (!ParseNumberFormat(name, format.number)) return std::nullopt;
      continue;
    }
    const bool unified = absl::ConsumePrefix(&name, "BUF_FMT_");
    if (!unified && !absl::ConsumePrefix(&name, "BUF_DATA_FORMAT_")) return std::nullopt;
    std::vector<std::string_view> widths = absl::StrSplit(name, '_');
    if (unified) {
      if (!ParseNumberFormat(widths.back(), format.number)) return std::nullopt;
      widths.pop_back();
    }
    if (!ParseWidths(widths, format)) return std::nullopt;
  }
  return format;
}

}  // namespace gridwise::sim
