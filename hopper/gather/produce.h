// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/base/config.h"
#include "hopper/gather/args.h"
#include "hopper/gather/tile.h"
#include "hopper/kernel/ring.h"
#include "hopper/kernel/roles.h"

/// The producer of hopper/gather/kernel.h.

namespace gridwise::hopper {

/// Columns of a tile that are loaded. TMA takes six times as long for one that does not exist.
template <Config kC>
GRIDWISE_DEVICE int LoadedColumns(const GatherArgs& args, const GatherTileAt& tile) {
  if constexpr (!kC.b_runs_along_k()) return kC.b_columns();
  const int rest = args.loaded_columns - tile.column;
  return rest < kC.columns ? rest : kC.columns;
}

/// Starts to load the k tile of w for a step.
template <Config kC>
GRIDWISE_DEVICE void LoadB(const GatherArgs& args, const GatherTileAt& tile, const GatherStep& step,
                           int columns, SharedAddress to, Mbarrier bar) {
  const int k = step.channel<kC>();
#pragma unroll
  for (int part = 0; part < kC.parts(); ++part) {
    const SharedAddress of_part = to + part * kC.b_part_bytes();
    if constexpr (kC.b_runs_along_k()) {
      for (int n = 0; n < columns; n += args.box_columns) {
        LoadBox(of_part + n * kC.b_run_bytes(), args.w[part], bar, k, step.tap, tile.column + n,
                tile.group);
      }
    } else {
      const int first = tile.group * args.w_group + step.tap * args.w_tap + tile.column;
#pragma unroll
      for (int n = 0; n < kC.columns; n += 64) {
        LoadBox(of_part + n * kC.b_run_bytes(), args.w[part], bar, first + n, k, 0);
      }
    }
  }
}

/// Starts to load the operand that stays in shared memory: B of all tiles of this workgroup, which
/// have the same columns.
template <Config kC>
GRIDWISE_DEVICE void LoadResident(const GatherArgs& args, const KTileRing<kC>& ring) {
  const GatherTileAt tile = FindTile<kC>(args, BlockIdX());
  const SubGemm gemm = args.gemm[tile.index];
  if (!IsElected()) return;
  const int columns = LoadedColumns<kC>(args, tile);
  ring.resident().ArriveAndExpect(tile.steps() * kC.parts() * columns * kC.b_run_bytes());
  GatherStep step(args, gemm, tile.first);
  for (int i = 0; i < tile.steps(); ++i, step.Next()) {
    LoadB<kC>(args, tile, step, columns, ring.b(i), ring.resident());
  }
}

template <Config kC>
GRIDWISE_DEVICE void ProduceGather(const GatherArgs& args, SharedAddress base) {
  KTileRing<kC> ring(base);
  if constexpr (kC.resident > 0) LoadResident(args, ring);
  for (int i = BlockIdX(); i < args.tiles * args.groups; i += GridSizeX()) {
    const GatherTileAt tile = FindTile<kC>(args, i);
    const SubGemm gemm = args.gemm[tile.index];
    const bool of_group = args.source_groups == SourceGroups::kMaps;
    const TensorMap& source =
        args.source[of_group ? tile.index * args.groups + tile.group : tile.index];
    const PhasePixel pixel = PixelOfRow(gemm, tile.row);
    PixelAt at = SourceOf(gemm, args.strides, pixel);
    if (args.source_groups == SourceGroups::kAxis) {
      at.d = at.image;
      at.image = tile.group;
    }
    const int first_channel =
        args.source_groups == SourceGroups::kWindows ? tile.group * args.k : 0;
    if (tile.steps() == 0) continue;
    const int columns = LoadedColumns<kC>(args, tile);
    const int b_bytes = kC.resident > 0 ? 0 : kC.parts() * columns * kC.b_run_bytes();
    GatherStep step(args, gemm, tile.first);
    for (int s = tile.first; s < tile.end; ++s, step.Next()) {
      ring.WaitEmpty();
      const int channel = first_channel + step.channel<kC>();
      if (IsElected()) {
        ring.full().ArriveAndExpect(kC.a_bytes() + b_bytes);
        if (args.has_five_axes) {
          LoadPixels5(ring.a(), source, ring.full(), channel, at, step.move[2], step.move[1],
                      step.move[0]);
        } else {
          LoadPixels4(ring.a(), source, ring.full(), channel, at, step.move[2], step.move[1]);
        }
        if constexpr (kC.resident == 0) {
          LoadB<kC>(args, tile, step, columns, ring.b(0), ring.full());
        }
      }
      ring.Next();
    }
  }
}

}  // namespace gridwise::hopper
