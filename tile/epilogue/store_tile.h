// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/memory.h"
#include "core/launch/output_type.h"
#include "tile/config.h"
#include "tile/epilogue/finish_tile.h"
#include "tile/epilogue/fixup.h"
#include "tile/epilogue/output_tile.h"
#include "tile/epilogue/wave_stage.h"
#include "tile/fixup_args.h"
#include "tile/pipeline/wave_acc.h"
#include "tile/roles.h"

namespace gridwise::tile {

/// Writes the tile: see EpilogueArgs. Each wave's sums go through LDS, some matrix instructions at
/// a time, so that lanes store 16 consecutive bytes. Waves do not wait for each other. Nearly all
/// tiles are plain: the output is the sums, rounded to its type on their way to LDS.
template <TileConfig kC, Gfx kGfx, class OutputMap>
class StoreTile {
 public:
  /// `lds` belongs to the workgroup, and its operands have been read when Store begins. `split` is
  /// the workgroup's part of K.
  GRIDWISE_DEVICE StoreTile(const EpilogueArgs& args, const FixupArgs& fixup,
                            const OutputMap& output, int split, char* lds)
      : fixup_(fixup, output, split), out_type_(args.out_type), tile_(args, output, split, lds) {}

  /// Stores `acc`. With a fix-up, `acc` becomes the sums of all splits.
  GRIDWISE_DEVICE void Store(WaveAcc<kC>& acc) {
    const bool stores = fixup_(acc, [&]() __attribute__((always_inline)) { tile_.Prepare(); });
    if (!stores) return;
    if constexpr (SumType(kC.type) == DataType::kI32) {
      if (out_type_ == static_cast<int>(DataType::kI32)) return StoreAs<int>(acc);
    }
    WithFloatOutput<kC.type, /*kUsuallySame=*/true>(
        out_type_, [&]<DataType kOut>() { StoreAs<Element<kOut>>(acc); });
  }

 private:
  // Tensors may have 4 channels fewer than whole vectors.
  static constexpr bool kHasParts =
      kC.loads_partial_vectors() || (kC.sums_blocks() && kC.patch_a.n < kC.vector());

  template <class Out>
  GRIDWISE_DEVICE void StoreAs(const WaveAcc<kC>& acc) const {
    constexpr int kVec = 16 / sizeof(Out);
    const bool whole = tile_.columns() >= kC.tile.n || tile_.columns() % kVec == 0;
    const bool plain = tile_.is_plain();
    if (whole && plain) [[likely]] {
      StorePlainly<Out, kVec>(acc);
    } else if (kHasParts && kVec > 4 && tile_.columns() % 4 == 0 && plain) {
      StorePlainly<Out, 4>(acc);
    } else {
      FinishTile<kC, kGfx, OutputMap>(tile_).template Store<Out>(acc);
    }
  }

  /// Stores runs of kVec columns that exist together or not.
  template <class Out, int kVec>
  GRIDWISE_DEVICE void StorePlainly(const WaveAcc<kC>& acc) const {
    using Stage = WaveStage<kC, Out, kVec>;
    const Stage stage(tile_.stage());
#pragma clang loop unroll(full)
    for (int subtile = 0; subtile < Stage::kSubtiles; ++subtile) {
      stage.Write(acc, subtile);
      FenceLdsOfWave();
      const int column = WaveN<kC>() + stage.Column(subtile);
      const unsigned offset = tile_.ColumnOffset(column), past = tile_.PastColumns(column, 0);
      for (int i = 0; i < Stage::kTimes; ++i) {
        if (!stage.HasRow(i)) continue;
        tile_.out().Store(stage.Read(i), (tile_.RowOffset(stage.Row(subtile, i)) + offset) | past);
      }
      FenceLdsOfWave();
    }
  }

  const Fixup<kC, kGfx> fixup_;
  const int out_type_;
  OutputTile<kC, kGfx, OutputMap> tile_;
};

}  // namespace gridwise::tile
