// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"
#include "tile/config.h"
#include "tile/roles.h"

namespace gridwise::tile {

/// How the loading lanes of a workgroup share the patches of an operand tile of kRows rows, if the
/// rows are contiguous in memory while LDS needs runs of k: lanes first go along the rows, then
/// along k. A lane loads patch.k times patch.n adjacent rows. It transposes them in registers, or
/// puts them straight into LDS, from where reads transpose them.
template <TileConfig kC, int kRows, TileConfig::Patch kPatch>
struct PatchesOfLane {
  static constexpr int kThreads = kC.load_threads();
  static constexpr int kPerK = kRows / kPatch.n;
  static constexpr int kPatches = kC.k_of_group() / kPatch.k * kPerK;
  static constexpr int kCount = CeilDiv(kPatches, kThreads);
  static_assert(kPatches % kThreads == 0 || kPatches < kThreads);
  static_assert(kThreads % kPerK == 0);

  using Rows = Vec<Element<kC.type>, kPatch.n>;  // one load: one k of the patch

  /// First row of the lane's patches, and first k of patch i.
  GRIDWISE_DEVICE static int Row() {
    const int slot = LoadThread<kC>() % kPerK;
    if constexpr (kC.reads_transposed(kPatch)) {
      return kC.lds_lines(kRows).Permuted(K(0), slot) * kPatch.n;
    } else {
      return slot * kPatch.n;
    }
  }
  GRIDWISE_DEVICE static int K(int i) {
    return (LoadThread<kC>() / kPerK + i * (kThreads / kPerK)) * kPatch.k;
  }
  /// Whether there are more lanes than patches, and this lane has none.
  GRIDWISE_DEVICE static bool IsIdle() {
    return kPatches < kThreads && LoadThread<kC>() >= kPatches;
  }

  using KTile = Rows[kCount][kPatch.k];

  /// Writes a patch to LDS, with first row `row` and first k `k`. Swaps its two rows if `flip` is
  /// 1.
  GRIDWISE_DEVICE static void Store(const Rows (&values)[kPatch.k], LdsTile tile, int row, int k,
                                    char* lds, int flip = 0) {
    using Run = Vec<Element<kC.type>, kPatch.k>;
    for (int n = 0; n < kPatch.n; ++n) {
      Run run;
      for (int e = 0; e < kPatch.k; ++e) run[e] = values[e][n];
      const int offset =
          tile.Offset(row + (n ^ flip), k / kC.vector()) + k % kC.vector() * SizeOf(kC.type);
      *reinterpret_cast<Run*>(lds + offset) = run;
    }
  }
};

}  // namespace gridwise::tile
