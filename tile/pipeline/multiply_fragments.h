// SPDX-License-Identifier: MIT
#pragma once

#include "tile/config.h"
#include "tile/pipeline/read_fragments.h"
#include "tile/pipeline/wave_acc.h"
#include "tile/roles.h"

namespace gridwise::tile {

/// acc += A * B for a k tile that was loaded straight to LDS, in two halves, so that a schedule can
/// put other work between reading fragments and multiplying them.
template <TileConfig kC>
class MultiplyFragments {
 public:
  static constexpr int kFragments = kC.tile.k / kC.fragment_k();  // fragments along k
  // LDS reads of whole vectors, and matrix instructions, per fragment.
  static constexpr int kReads = (kC.reps_m() + kC.reps_n()) * kC.fragment_reads();
  static constexpr int kMatrix = kC.reps_m() * kC.reps_n() * kC.fragment_k() / kC.mma.k;

  /// What a wave reads for one k_fragment.
  struct Fragments {
    FragmentOfA<kC> a[kC.reps_m()];
    FragmentOfB<kC> b[kC.reps_n()];
  };

  /// `lds` has one or several k tiles: A, followed by B.
  GRIDWISE_DEVICE explicit MultiplyFragments(const char* lds)
      : a_(lds, WaveM<kC>() + Lane<kC>() % kC.mma.m),
        b_(lds + kC.lds_a().bytes(), WaveN<kC>() + Lane<kC>() % kC.mma.m) {}

  /// Reads k_fragment `k_fragment` of k tile `buffer`.
  GRIDWISE_DEVICE void Read(int k_fragment, int buffer, Fragments& fragments) const {
    for (int i = 0; i < kC.reps_m(); ++i) a_.Read(k_fragment, i, buffer, fragments.a[i]);
    for (int i = 0; i < kC.reps_n(); ++i) b_.Read(k_fragment, i, buffer, fragments.b[i]);
  }

  GRIDWISE_DEVICE static void Multiply(const Fragments& fragments, WaveAcc<kC>& acc) {
    tile::Multiply<kC>(fragments.a, fragments.b, /*first_n=*/0, acc);
  }

 private:
  template <bool kTransposed, int kRows, int kReps>
  using Reader = FragmentReader<kTransposed, kC, kRows, kReps>::Type;

  Reader<kC.reads_transposed(kC.patch_a), kC.tile.m, kC.reps_m()> a_;
  Reader<kC.reads_transposed(kC.patch_b), kC.tile.n, kC.reps_n()> b_;
};

}  // namespace gridwise::tile
