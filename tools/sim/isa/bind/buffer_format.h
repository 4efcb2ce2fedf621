// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tools/sim/wave/wave.h"

/// Formats of typed buffer elements (CDNA3 ISA, "Buffer Resource": data and number formats; RDNA3
/// and RDNA4 ISA: unified formats). A format is up to four components, the first in the lowest
/// bits, though names list them from the highest ("10_11_11": x and y have 11 bits, z has 10).

namespace gridwise::sim {

enum class NumberFormat : uint8_t {
  kUnorm,
  kSnorm,
  kUscaled,
  kSscaled,
  kUint,
  kSint,
  kReserved,
  kFloat,
};

struct BufferFormat {
  uint8_t bits[4];  // sizes of x, y, z, w; 0: there is no such component
  NumberFormat number;
};

/// Widths of CDNA's data formats by number; invalid ones have no component.
inline constexpr uint8_t kDataFormats[16][4] = {
    {},
    {8},
    {16},
    {8, 8},
    {32},
    {16, 16},
    {11, 11, 10},
    {10, 11, 11},
    {2, 10, 10, 10},
    {10, 10, 10, 2},
    {8, 8, 8, 8},
    {32, 32},
    {16, 16, 16, 16},
    {32, 32, 32},
    {32, 32, 32, 32},
    {},
};

/// RDNA's unified formats: runs of numbers with the same data format.
struct UnifiedRun {
  uint8_t first;
  uint8_t data_format;
  uint8_t count;
  NumberFormat numbers[7];
};
inline constexpr UnifiedRun kUnifiedRuns[] = {
#define GRIDWISE_SIM_NUMBERS                                                                  \
  NumberFormat::kUnorm, NumberFormat::kSnorm, NumberFormat::kUscaled, NumberFormat::kSscaled, \
      NumberFormat::kUint, NumberFormat::kSint, NumberFormat::kFloat
    {1, 1, 6, {GRIDWISE_SIM_NUMBERS}},
    {7, 2, 7, {GRIDWISE_SIM_NUMBERS}},
    {14, 3, 6, {GRIDWISE_SIM_NUMBERS}},
    {20, 4, 3, {NumberFormat::kUint, NumberFormat::kSint, NumberFormat::kFloat}},
    {23, 5, 7, {GRIDWISE_SIM_NUMBERS}},
    {30, 6, 1, {NumberFormat::kFloat}},
    {31, 7, 1, {NumberFormat::kFloat}},
    {32,
     8,
     4,
     {NumberFormat::kUnorm, NumberFormat::kSnorm, NumberFormat::kUint, NumberFormat::kSint}},
    {36, 9, 6, {GRIDWISE_SIM_NUMBERS}},
    {42, 10, 6, {GRIDWISE_SIM_NUMBERS}},
    {48, 11, 3, {NumberFormat::kUint, NumberFormat::kSint, NumberFormat::kFloat}},
    {51, 12, 7, {GRIDWISE_SIM_NUMBERS}},
    {58, 13, 3, {NumberFormat::kUint, NumberFormat::kSint, NumberFormat::kFloat}},
    {61, 14, 3, {NumberFormat::kUint, NumberFormat::kSint, NumberFormat::kFloat}},
#undef GRIDWISE_SIM_NUMBERS
};

GRIDWISE_SIM_INLINE BufferFormat FormatOf(uint32_t data_format, NumberFormat number) {
  const uint8_t* bits = kDataFormats[data_format & 15];
  return {{bits[0], bits[1], bits[2], bits[3]}, number};
}
/// An invalid number has no components.
GRIDWISE_SIM_INLINE BufferFormat UnifiedFormat(uint32_t number) {
  for (const UnifiedRun& run : kUnifiedRuns) {
    if (number >= run.first && number < run.first + uint32_t{run.count})
      return FormatOf(run.data_format, run.numbers[number - run.first]);
  }
  return {};
}

/// A format in a micro-op.
GRIDWISE_SIM_INLINE uint64_t Packed(const BufferFormat& f) {
  return f.bits[0] | uint64_t{f.bits[1]} << 8 | uint64_t{f.bits[2]} << 16 |
         uint64_t{f.bits[3]} << 24 | uint64_t{static_cast<uint8_t>(f.number)} << 32;
}
GRIDWISE_SIM_INLINE BufferFormat Unpacked(uint64_t p) {
  return {{static_cast<uint8_t>(p), static_cast<uint8_t>(p >> 8), static_cast<uint8_t>(p >> 16),
           static_cast<uint8_t>(p >> 24)},
          static_cast<NumberFormat>(p >> 32)};
}

}  // namespace gridwise::sim
