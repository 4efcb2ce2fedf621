// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>

#include "core/arch/machine.h"

namespace gridwise {

/// The fraction of `bytes`, used in sequence again and again, that a cache of `size` bytes still
/// holds at their next use: 1 if they fit; else the solution of h = exp(-(1 - h) bytes / size).
/// bytes (1 - h) are replaced from one use to the next, each in place of any other.
/// An assumption: the replacement policy of the Infinity Cache is not published, and a cache with
/// so many sets does not lose everything at once.
inline double FractionCached(double bytes, double size) {
  if (bytes <= size) return 1;
  if (size <= 0) return 0;
  const double x = bytes / size;
  // Newton's method for the lost fraction, from above, where the function is concave.
  double gone = 1;
  for (double step = 1; step > 1e-6;) {
    const double cached = std::exp(-gone * x);
    step = (1 - cached - gone) / (cached * x - 1);
    gone -= step;
  }
  return std::clamp(1 - gone, 0.0, 1.0);
}

/// Minimum time in nanoseconds of reading `in` and writing `out` bytes in each of several runs: all
/// through the Infinity Cache, if there is one, and through memory what it does not keep.
inline double MemoryNs(const MachineFacts& machine, double in, double out) {
  const double through_memory = in / machine.dram_read_gb_per_s + out / machine.dram_write_gb_per_s;
  if (machine.mall_bytes == 0) return through_memory;
  const double gone = 1 - FractionCached(in + out, machine.mall_bytes);
  return std::max((in + out) / machine.mall_gb_per_s, gone * through_memory);
}

}  // namespace gridwise
