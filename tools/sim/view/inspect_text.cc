// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/isa/facts/facts.h"
#include "tools/sim/isa/text/decode.h"
#include "tools/sim/view/inspect.h"

// Parses what the user writes, and prints registers.

namespace gridwise::sim {
namespace {

bool ParseNumber(std::string_view text, uint32_t& value) {
  return absl::StartsWith(text, "0x") ? absl::SimpleHexAtoi(text, &value)
                                      : absl::SimpleAtoi(text, &value);
}

absl::Status Bad(std::string_view text, std::string_view wants) {
  return absl::InvalidArgumentError(absl::StrCat("'", text, "' is not ", wants));
}

std::string FloatText(float value) {
  return std::isnan(value) ? "NaN" : absl::StrFormat("%.6g", value);
}

std::string WordText(uint32_t word, ShownAs as) {
  switch (as) {
    case ShownAs::kI32:
      return absl::StrCat(static_cast<int32_t>(word));
    case ShownAs::kF32:
      return FloatText(std::bit_cast<float>(word));
    case ShownAs::kF16: {
      const auto half = [](uint32_t bits) {
        return FloatText(static_cast<float>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits))));
      };
      return absl::StrCat(half(word), ":", half(word >> 16));
    }
    case ShownAs::kHex:
      break;
  }
  return absl::StrFormat("%08x", word);
}

/// Words in rows of eight, right-aligned.
std::string Rows(std::string_view name, std::span<const uint32_t> words, ShownAs as) {
  constexpr size_t kRow = 8;
  const bool same =
      std::all_of(words.begin(), words.end(), [&](uint32_t word) { return word == words[0]; });
  if (same && words.size() > 1)
    return absl::StrFormat("  %-7s %s in all lanes\n", name, WordText(words[0], as));
  std::vector<std::string> cells;
  size_t width = 0;
  for (const uint32_t word : words) {
    cells.push_back(WordText(word, as));
    width = std::max(width, cells.back().size());
  }
  std::string text;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i % kRow == 0)
      absl::StrAppendFormat(&text, "  %-7s", i == 0 ? name : absl::StrCat("  [", i, "]"));
    absl::StrAppendFormat(&text, " %*s", static_cast<int>(width), cells[i]);
    if (i % kRow == kRow - 1 || i + 1 == cells.size()) absl::StrAppend(&text, "\n");
  }
  return text;
}

}  // namespace

bool BreakPlace::Is(const SourceLine& line) const {
  if (source.line == 0 || line.line != source.line || !absl::EndsWith(line.file, source.file))
    return false;
  const size_t folders = line.file.size() - source.file.size();
  return folders == 0 || line.file[folders - 1] == '/';
}

absl::StatusOr<BreakPlace> ParseBreakPlace(std::string_view text) {
  BreakPlace place;
  place.text = text;
  const size_t sign = text.find_last_of("+-");
  if (sign != text.npos && sign != 0 && absl::StartsWith(text.substr(sign + 1), "0x") &&
      absl::SimpleHexAtoi(text.substr(sign + 1), &place.offset)) {
    place.kernel = text.substr(0, sign);
    if (text[sign] == '-') place.offset = -place.offset;
    return place;
  }
  const size_t colon = text.rfind(':');
  if (colon == text.npos || colon == 0 ||
      !absl::SimpleAtoi(text.substr(colon + 1), &place.source.line) || place.source.line <= 0)
    return Bad(text, "a place: file.hip:40 or Kernel+0x40");
  place.source.file = text.substr(0, colon);
  return place;
}

absl::StatusOr<InspectedWave> ParseInspectedWave(std::string_view text) {
  static constexpr std::pair<std::string_view, ShownAs> kShown[] = {{"hex", ShownAs::kHex},
                                                                    {"i32", ShownAs::kI32},
                                                                    {"f32", ShownAs::kF32},
                                                                    {"f16", ShownAs::kF16}};
  InspectedWave wave;
  for (const std::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    const std::pair<std::string_view, std::string_view> entry =
        absl::StrSplit(word, absl::MaxSplits('=', 1));
    const auto& [key, value] = entry;
    bool good = true;
    if (key == "kernel") {
      wave.kernel = value;
    } else if (key == "workgroup") {
      const std::vector<std::string_view> ids = absl::StrSplit(value, ',');
      good = ids.size() <= 3;
      for (size_t i = 0; good && i < ids.size(); ++i) good = ParseNumber(ids[i], wave.workgroup[i]);
    } else if (key == "wave") {
      good = ParseNumber(value, wave.wave);
    } else if (key == "lds") {
      good = ParseNumber(value, wave.lds.emplace());
    } else if (key == "hits") {
      good = ParseNumber(value, wave.hits);
    } else if (key == "as") {
      good = false;
      for (const auto& [name, as] : kShown) {
        if (name != value) continue;
        wave.as = as;
        good = true;
      }
    } else {
      good = false;
    }
    if (!good) {
      return Bad(word,
                 "one of kernel=NAME, workgroup=X,Y,Z, wave=N, lds=ADDRESS, hits=N, "
                 "as=hex|i32|f32|f16");
    }
  }
  return wave;
}

std::string RegisterText(const Wave& wave, int reg, ShownAs as) {
  if (reg < kFirstVector) return Rows(RegisterName(reg), std::span(&wave.s[reg], 1), as);
  const size_t lanes = wave.all_lanes >> 32 == 0 ? kLanes / 2 : kLanes;
  return Rows(RegisterName(reg), std::span(wave.v[reg - kFirstVector], lanes), as);
}

std::string RegistersText(const Wave& wave, const KernelInfo& kernel, ShownAs as) {
  std::string text = absl::StrFormat("  exec 0x%x, vcc 0x%x, scc %d, m0 0x%x, mode 0x%x\n",
                                     Exec(wave), Scalar64(wave, kVccLo) & wave.all_lanes,
                                     wave.s[kScc], wave.s[kM0], wave.mode);
  // Rows of eight, that the words of one instruction are likely to stand beside each other.
  for (int first = 0; first < kernel.sgprs && first < kFlatScratchLo; first += 8) {
    absl::StrAppendFormat(&text, "  %-7s", RegisterName(first));
    for (int s = first; s < std::min({first + 8, kernel.sgprs, int{kFlatScratchLo}}); ++s)
      absl::StrAppendFormat(&text, " %08x", wave.s[s]);
    absl::StrAppend(&text, "\n");
  }
  for (int v = 0; v < kernel.vgprs - kernel.agprs; ++v)
    absl::StrAppend(&text, RegisterText(wave, kFirstVector + v, as));
  for (int a = 0; a < kernel.agprs; ++a)
    absl::StrAppend(&text, RegisterText(wave, kFirstVector + kAgprBase + a, as));
  return text;
}

}  // namespace gridwise::sim
