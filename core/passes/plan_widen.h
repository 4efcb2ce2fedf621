// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "core/passes/widen_args.h"

namespace gridwise {

/// `count` lines to make, see WidenArgs. By default, `used` elements of a line come from the
/// source.
struct Lines {
  std::int64_t count, from_line, to_line, before = 0;
  std::int64_t item = 1, of_row = 1, step = 0, from_row = from_line;
  std::int64_t used = to_line;

  std::int64_t ToElements() const { return count * to_line; }
};

/// The copy of a copy at once: `rows` become longer, and then the lines of which they consist.
/// Returns nullopt if the copies do more than that.
std::optional<Lines> Joined(const Lines& rows, const Lines& lines);

/// The same lines in words of `elements` elements; nullopt if they are not whole words.
std::optional<Lines> InWords(const Lines& lines, std::int64_t elements);

/// Bound on the number of elements that lines become.
inline constexpr std::int64_t kMaxWidened = std::int64_t{1} << 31;

/// Arguments for these lines; pointers null.
WidenArgs PlanWiden(const Lines& lines);

/// Workgroups of the launch.
unsigned WidenWorkgroups(const Lines& lines);

}  // namespace gridwise
