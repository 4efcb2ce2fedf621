// SPDX-License-Identifier: MIT
#pragma once

#include "ck/gemm/args.h"
#include "ck/gemm/config.h"
#include "core/arch/gpu.h"
#include "core/arch/memory.h"

namespace gridwise::ck {

/// Memory that no kernel writes while this one runs: uniform loads from it are scalar loads.
template <class T>
using Constant = const __attribute__((address_space(4))) T;

using IndexPair = Vec<unsigned short, 2>;

/// A TensorCoordinate (normal_form.h) of a lane: an offset in bytes, and the indices that its
/// operand's Walk checks. Members that are not checked are never computed.
///
/// Checked indices are congruent to their sums for all summands, so a coordinate that does not
/// exist is one whose index stays out of range. kOutside is so far off that adding an index of the
/// other summand, or kOutside itself, leads to no valid index (in a pair, indices are below 2^14
/// and at least -2^13).
struct LaneCoordinate {
  static constexpr unsigned short kOutside = 0xa000;

  unsigned offset;
  IndexPair pair;
  unsigned single;

  /// The coordinate of an index of an axis: the sum of its digits' units.
  GRIDWISE_DEVICE static LaneCoordinate Of(Constant<AxisArgs>* axis,
                                           const int (&digit)[AxisArgs::kDigits]) {
    LaneCoordinate coordinate = {};
    for (int i = 0; i < AxisArgs::kDigits; ++i) {
      Constant<TensorCoordinateArgs>& unit = axis->digit[i].unit;
      const auto index = static_cast<unsigned>(digit[i]);
      coordinate.offset += index * static_cast<unsigned>(unit.offset);
      const auto times = static_cast<unsigned short>(digit[i]);
      coordinate.pair += IndexPair{times, times} * IndexPair{unit.pair[0], unit.pair[1]};
      coordinate.single += index * static_cast<unsigned>(unit.single);
    }
    return coordinate;
  }
  GRIDWISE_DEVICE static LaneCoordinate Of(Constant<TensorCoordinateArgs>& args) {
    return {.offset = static_cast<unsigned>(args.offset),
            .pair = {args.pair[0], args.pair[1]},
            .single = static_cast<unsigned>(args.single)};
  }
  GRIDWISE_DEVICE LaneCoordinate operator+(const LaneCoordinate& other) const {
    return {offset + other.offset, pair + other.pair, single + other.single};
  }

  /// A coordinate without an element.
  template <Walk kWalk>
  GRIDWISE_DEVICE static LaneCoordinate Outside() {
    return {.offset = ChecksOf(kWalk) == 0 ? Buffer::kOutOfRange : 0,
            .pair = {kOutside, kOutside},
            .single = static_cast<unsigned>(kOutside) << 16};
  }
};

/// The digits of an index.
GRIDWISE_DEVICE void FindDigits(Constant<AxisArgs>* axis, int index,
                                int (&digit)[AxisArgs::kDigits]) {
  for (int i = AxisArgs::kDigits - 1; i > 0; --i) {
    const MagicDiv by = {axis->digit[i].by.multiplier, axis->digit[i].by.shift};
    const int rest = static_cast<int>(Divide(static_cast<unsigned>(index), by));
    digit[i] = index - rest * axis->digit[i].length;
    index = rest;
  }
  digit[0] = index;
}

/// Adds digits with carry.
GRIDWISE_DEVICE void Advance(Constant<AxisArgs>* axis, const int (&step)[AxisArgs::kDigits],
                             int (&digit)[AxisArgs::kDigits]) {
  int carry = 0;
  for (int i = AxisArgs::kDigits - 1; i > 0; --i) {
    const int sum = digit[i] + step[i] + carry, length = axis->digit[i].length;
    carry = sum >= length;
    digit[i] = carry ? sum - length : sum;
  }
  digit[0] += step[0] + carry;
}

/// Byte offset of the element at a row and a term of K; out of the buffer's range if there is none.
/// `last` has the highest valid indices.
template <Walk kWalk>
GRIDWISE_DEVICE unsigned OffsetAt(const LaneCoordinate& row, const LaneCoordinate& term,
                                  const LaneCoordinate& last) {
  static_assert(kWalk != Walk::kEven);
  if constexpr (kWalk == Walk::kTable) {
    return __builtin_elementwise_add_sat(row.offset, term.offset);
  }
  bool exists = true;
  if constexpr (kWalk != Walk::kCheck1) {
    const IndexPair pair = row.pair + term.pair;
    exists = __builtin_bit_cast(unsigned, __builtin_elementwise_min(pair, last.pair)) ==
             __builtin_bit_cast(unsigned, pair);
  }
  if constexpr (kWalk != Walk::kCheck2) exists &= row.single + term.single <= last.single;
  return exists ? row.offset + term.offset : Buffer::kOutOfRange;
}

}  // namespace gridwise::ck
