// SPDX-License-Identifier: MIT
#pragma once

#include "ck/gemm/config.h"
#include "core/arch/gpu.h"

namespace gridwise::ck {

/// A lane's share of one operand's k tile, in registers.
template <GemmConfig kC, Side kSide, int kTensors>
struct KTileOf {
  using T = Element<kC.type>;
  using Load = Vec<T, kC.operand(kSide).vector()>;
  using Unit = Load[kC.loads_of_unit(kSide)];
  Unit unit[kTensors][kC.units_of_lane(kSide)];

  /// Element `e` of run `i` of a unit.
  GRIDWISE_DEVICE static T ElementOf(const Unit& unit, int i, int e) {
    if (kO.reads_transposed()) return unit[0][e];
    return kO.along_k() ? unit[e / kO.k][e % kO.k] : unit[e][i];
  }
  /// A run of bytes, a word at a time: compilers put bytes into vectors through memory.
  template <int kRun>
  GRIDWISE_DEVICE static Vec<T, kRun> RunOfBytes(const Unit& unit, int i) {
    Vec<unsigned, kRun / 4> words;
    for (int word = 0; word < kRun / 4; ++word) {
      unsigned bytes = 0;
      for (int b = 0; b < 4; ++b) {
        const auto byte = __builtin_bit_cast(unsigned char, ElementOf(unit, i, word * 4 + b));
        bytes |= static_cast<unsigned>(byte) << (8 * b);
      }
      words[word] = bytes;
    }
    return __builtin_bit_cast(Vec<T, kRun>, words);
  }

 private:
  static constexpr auto& kO = kC.operand(kSide);
};

/// Which units of an operand's k tile a lane loads.
template <GemmConfig kC, Side kSide>
struct UnitsOfLane {
  int thread;  // among those that have a share, which come first

  static constexpr auto& kO = kC.operand(kSide);
  /// Distance from one k slot of a lane to the next; runs of K have a single slot.
  static constexpr int kSlotK = kC.units_rows(kSide) < kC.load_threads()
                                    ? kC.load_threads() / kC.units_rows(kSide) * kO.k
                                    : kO.k;

  /// The row of a slot of the lane, and its first k.
  GRIDWISE_DEVICE int Row(int slot) const {
    if constexpr (kO.along_k()) {
      return thread / kC.units_k(kSide) + slot * (kC.load_threads() / kC.units_k(kSide));
    } else {
      constexpr int kFast = kC.units_rows(kSide);
      return (kFast < kC.load_threads() ? thread % kFast : thread + slot * kC.load_threads()) *
             kO.rows;
    }
  }
  GRIDWISE_DEVICE int K(int slot) const {
    if constexpr (kO.along_k()) {
      return thread % kC.units_k(kSide) * kC.k_pack();
    } else {
      constexpr int kFast = kC.units_rows(kSide);
      const int first = kFast < kC.load_threads() ? thread / kFast * kO.k : 0;
      return first + slot * kSlotK;
    }
  }
};

}  // namespace gridwise::ck
