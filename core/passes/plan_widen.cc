// SPDX-License-Identifier: MIT
#include "core/passes/plan_widen.h"

#include "core/base/math.h"

namespace gridwise {

std::optional<Lines> Joined(const Lines& rows, const Lines& lines) {
  for (const Lines& all : {rows, lines}) {
    if (all.item != 1 || all.of_row != 1 || all.before != 0 || all.used < all.from_line) {
      return std::nullopt;
    }
  }
  const std::int64_t item = lines.from_line;
  if (rows.from_line % item != 0 || rows.to_line % item != 0) return std::nullopt;
  return Lines{.count = lines.count,
               .from_line = rows.from_line / item,
               .to_line = lines.to_line,
               .item = item,
               .of_row = rows.to_line / item,
               .step = 1,
               .used = item};
}

std::optional<Lines> InWords(const Lines& lines, std::int64_t elements) {
  const auto is_whole = [&](std::int64_t count) { return count % elements == 0; };
  if (!is_whole(lines.to_line) || !is_whole(lines.used)) return std::nullopt;
  Lines words = lines;
  words.to_line /= elements;
  words.used /= elements;
  if (is_whole(lines.item)) {
    words.item /= elements;
    return words;
  }
  const bool is_line = lines.item == 1 && lines.step == 0;
  if (!is_line || !is_whole(lines.from_line) || !is_whole(lines.before)) return std::nullopt;
  words.from_line /= elements;
  words.from_row /= elements;
  words.before /= elements;
  return words;
}

WidenArgs PlanWiden(const Lines& lines) {
  const auto magic = [](std::int64_t n) { return MakeMagicDiv(static_cast<unsigned>(n)); };
  return {.from = nullptr,
          .to = nullptr,
          .elements = static_cast<int>(lines.ToElements()),
          .from_line = static_cast<int>(lines.from_line),
          .from_row = static_cast<int>(lines.from_row),
          .item = static_cast<int>(lines.item),
          .of_row = static_cast<int>(lines.of_row),
          .to_line = static_cast<int>(lines.to_line),
          .used = static_cast<int>(lines.used),
          .step = static_cast<int>(lines.step),
          .before = static_cast<int>(lines.before),
          .by_of_row = magic(lines.of_row),
          .by_to_line = magic(lines.to_line)};
}

unsigned WidenWorkgroups(const Lines& lines) {
  return static_cast<unsigned>(
      CeilDiv<std::int64_t>(lines.ToElements(), kWidenThreads * kWidenElements));
}

}  // namespace gridwise
