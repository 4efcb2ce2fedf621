// SPDX-License-Identifier: MIT
#pragma once

#include "ck/gemm/lane_coordinate.h"
#include "core/arch/gpu.h"

namespace gridwise::ck {

/// Coordinates along K of the next steps, in LDS. The coordinate of a term is the same for all
/// rows, so one lane computes it once for the whole workgroup. Every lane that loads has its own
/// term, moves it by carry, and writes an entry. Rows then add an entry to their own coordinate
/// (OffsetAt).
///
/// The table has two halves of several steps each. One is read while the other is written:
///
///   steps     0 .. h-1 | h .. 2h-1 | 2h .. 3h-1 | ...
///   half          0    |     1     |     0      |
///   written   before the loop      | at step h + 1, when all waves have read half 0
template <GemmConfig kC, Side kSide>
class KTable {
 public:
  /// `thread` is the index among the lanes that load; `first` is the first term of the loop.
  GRIDWISE_DEVICE KTable(Constant<ViewArgs>* view, int first, int thread, char* lds)
      : axis_(&view->axis[1]),
        first_term_(view->first_term),
        lds_(lds + kC.table_at(kSide)),
        thread_(thread),
        index_(first + thread * kTerms) {
    FindDigits(axis_, index_, digit_);
    FindDigits(axis_, kStride, step_);
    Write(0);
    Write(1);
  }

  /// Call before the loads of `step`, in every wave that loads. There must be a barrier between any
  /// two steps, except those before the loop.
  GRIDWISE_DEVICE void Step(int step) {
    if (step % kSteps == 1 && step > kSteps) Write(step / kSteps + 1);
  }

  /// Reads entry `entry` of a step; each entry covers k_of_entry() terms.
  GRIDWISE_DEVICE LaneCoordinate Read(int step, int entry) const {
    const int at = step % (2 * kSteps) * kC.entries_of_step(kSide) + entry;
    const char* const from = lds_ + at * kBytes;
    LaneCoordinate coordinate = {};
    if constexpr (kBytes == 4) {
      coordinate.offset = *reinterpret_cast<const unsigned*>(from);
    } else if constexpr (kBytes == 8) {
      const auto words = *reinterpret_cast<const Vec<unsigned, 2>*>(from);
      coordinate.offset = words[0];
      coordinate.single = words[1];
      coordinate.pair = __builtin_bit_cast(IndexPair, static_cast<unsigned>(words[1]));
    } else {
      const auto words = *reinterpret_cast<const Vec<unsigned, 4>*>(from);
      coordinate.offset = words[0];
      coordinate.pair = __builtin_bit_cast(IndexPair, static_cast<unsigned>(words[1]));
      coordinate.single = words[2];
    }
    return coordinate;
  }

 private:
  static constexpr Walk kWalk = kC.operand(kSide).walk;
  static constexpr int kTerms = kC.operand(kSide).k_of_entry();
  static constexpr int kBytes = kC.operand(kSide).entry_bytes();
  static constexpr int kSteps = kC.steps_of_half(kSide);
  static constexpr int kStride = kC.load_threads() * kTerms;  // per lane, in terms

  /// Writes this lane's entries of the next half.
  GRIDWISE_DEVICE void Write(int half) {
    constexpr int kEntries = kC.entries_of_half(kSide);
    char* const to = lds_ + (half % 2 * kEntries + thread_) * kBytes;
    for (int i = 0; i < kEntries / kC.load_threads(); ++i) {
      WriteEntry(to + i * kC.load_threads() * kBytes);
      Advance(axis_, step_, digit_);
      index_ += kStride;
    }
  }

  GRIDWISE_DEVICE void WriteEntry(char* to) const {
    LaneCoordinate coordinate = LaneCoordinate::Of(axis_, digit_);
    coordinate.offset += first_term_;
    if (index_ >= axis_->length) coordinate = LaneCoordinate::Outside<kWalk>();
    const unsigned pair = __builtin_bit_cast(unsigned, coordinate.pair);
    if constexpr (kBytes == 4) {
      *reinterpret_cast<unsigned*>(to) = coordinate.offset;
    } else if constexpr (kBytes == 8) {
      *reinterpret_cast<Vec<unsigned, 2>*>(to) = {
          coordinate.offset, kWalk == Walk::kCheck1 ? coordinate.single : pair};
    } else {
      *reinterpret_cast<Vec<unsigned, 4>*>(to) = {coordinate.offset, pair, coordinate.single, 0};
    }
  }

  Constant<AxisArgs>* const axis_;
  const int first_term_;
  char* const lds_;
  const int thread_;
  int index_;
  int digit_[AxisArgs::kDigits], step_[AxisArgs::kDigits];
};

/// An operand that walks evenly has no table.
template <GemmConfig kC, Side kSide>
  requires(!kC.operand(kSide).has_table())
class KTable<kC, kSide> {
 public:
  GRIDWISE_DEVICE KTable(Constant<ViewArgs>*, int, int, char*) {}
  GRIDWISE_DEVICE void Step(int) {}
};

}  // namespace gridwise::ck
