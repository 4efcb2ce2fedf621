// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/base/config.h"
#include "hopper/gather/args.h"
#include "hopper/gather/tile.h"
#include "hopper/kernel/ring.h"
#include "hopper/kernel/roles.h"

/// The producer of hopper/gather/kernel.h.

namespace gridwise::hopper {

/// Channels of w that a tile loads. TMA takes six times as long for one that does not exist.
template <Config kC>
GRIDWISE_DEVICE int LoadedChannels(const GatherArgs& args, const GatherTileAt& tile) {
  if constexpr (!kC.w_runs_along_k()) return kC.w_channels();
  const int rest = args.loaded_columns - tile.column;
  return rest < kC.channels() ? rest : kC.channels();
}

/// Starts to load the k tile of w for a step.
template <Config kC>
GRIDWISE_DEVICE void LoadW(const GatherArgs& args, const GatherTileAt& tile, const GatherStep& step,
                           int channels, SharedAddress to, Mbarrier bar) {
  const int k = step.channel<kC>();
#pragma unroll
  for (int part = 0; part < kC.parts(); ++part) {
    const SharedAddress of_part = to + part * kC.b_part_bytes();
    if constexpr (kC.w_runs_along_k()) {
      for (int n = 0; n < channels; n += args.box_columns) {
        LoadBox(of_part + n * kC.b_run_bytes(), args.w[part], bar, k, step.tap, tile.column + n,
                tile.group);
      }
    } else {
      const int first = tile.group * args.w_group + step.tap * args.w_tap + tile.column;
#pragma unroll
      for (int n = 0; n < kC.channels(); n += 64) {
        LoadBox(of_part + n * kC.b_run_bytes(), args.w[part], bar, first + n, k, 0);
      }
    }
  }
}

/// Starts to load the operand that stays in shared memory: w of all tiles of this workgroup, which
/// have the same columns.
template <Config kC>
GRIDWISE_DEVICE void LoadResident(const GatherArgs& args, const KTileRing<kC>& ring) {
  const GatherTileAt tile = FindTile<kC>(args, BlockIdX());
  const SubGemm gemm = args.gemm[tile.index];
  if (!IsElected()) return;
  const int channels = LoadedChannels<kC>(args, tile);
  ring.resident().ArriveAndExpect(tile.steps() * kC.parts() * channels * kC.b_run_bytes());
  GatherStep step(args, gemm, tile.first);
  for (int i = 0; i < tile.steps(); ++i, step.Next()) {
    LoadW<kC>(args, tile, step, channels, ring.b(i), ring.resident());
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
    const int channels = LoadedChannels<kC>(args, tile);
    const int w_bytes = kC.resident > 0 ? 0 : kC.parts() * channels * kC.b_run_bytes();
    GatherStep step(args, gemm, tile.first);
    for (int s = tile.first; s < tile.end; ++s, step.Next()) {
      ring.WaitEmpty();
      const int channel = first_channel + step.channel<kC>();
      if (IsElected()) {
        const SharedAddress pixels = kC.w_is_a ? ring.b(0) : ring.a();
        ring.full().ArriveAndExpect(kC.pixels() * kC.k_tile_bytes() + w_bytes);
        if (args.has_five_axes) {
          LoadPixels5(pixels, source, ring.full(), channel, at, step.move[2], step.move[1],
                      step.move[0]);
        } else {
          LoadPixels4(pixels, source, ring.full(), channel, at, step.move[2], step.move[1]);
        }
        if constexpr (kC.resident == 0) {
          LoadW<kC>(args, tile, step, channels, kC.w_is_a ? ring.a() : ring.b(0), ring.full());
        }
      }
      ring.Next();
    }
  }
}

}  // namespace gridwise::hopper
