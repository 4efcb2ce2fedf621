// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/mma.h"
#include "tile/config.h"

namespace gridwise::tile {

/// Accumulators of a wave, transposed: D's rows are the tile's n and its columns the tile's m, so a
/// lane holds runs of consecutive n of one m. They are cleared while loads are in flight.
template <TileConfig kC>
struct WaveAcc {
  Acc<kC.mma, kC.type> d[kC.reps_m()][kC.reps_n()];

  /// Clears here, once: the compiler would clear wherever control flow splits or joins before the
  /// loop.
  GRIDWISE_DEVICE void Clear() {
    for (auto& row : d) {
      for (auto& each : row) {
        each = {};
        asm volatile("" : "+v"(each));
      }
    }
  }
};

/// The part of an operand that a lane passes to one or several matrix instructions. The k that a
/// lane holds differ from the instruction's own order, in the same way for A and B, so the sum is
/// over the same set.
template <TileConfig kC, class Operand>
struct Fragment {
  static constexpr int kParts =
      kC.fragment_reads() * kC.read_elements() / kC.mma.k_per_lane();  // matrix instructions
  Operand part[kParts];
};
template <TileConfig kC>
using FragmentOfA = Fragment<kC, MmaOperandB<kC.mma, kC.type>>;
template <TileConfig kC>
using FragmentOfB = Fragment<kC, MmaOperandA<kC.mma, kC.type>>;

/// acc += A * B for fragments of all rows of a wave, and of its columns from the `first_n`-th
/// matrix instruction on. The instruction's A is the tile's B.
template <TileConfig kC, int kRepsN>
GRIDWISE_DEVICE void Multiply(const FragmentOfA<kC> (&a)[kC.reps_m()],
                              const FragmentOfB<kC> (&b)[kRepsN], int first_n, WaveAcc<kC>& acc) {
  for (int part = 0; part < a[0].kParts; ++part) {
    for (int m = 0; m < kC.reps_m(); ++m) {
      for (int n = 0; n < kRepsN; ++n) {
        Acc<kC.mma, kC.type>& d = acc.d[m][first_n + n];
        d = Mma<kC.mma, kC.type>(b[n].part[part], a[m].part[part], d);
      }
    }
  }
}

}  // namespace gridwise::tile
