// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/gather/args.h"
#include "hopper/gather/output_map.h"
#include "hopper/gather/produce.h"
#include "hopper/gather/tile.h"
#include "hopper/kernel/cluster.h"
#include "hopper/kernel/multiply_parts.h"
#include "hopper/kernel/roles.h"
#include "hopper/kernel/store.h"
#include "hopper/kernel/store_pixels.h"

/// Forward and backward-data as implicit GEMMs: rows are output pixels of all images, columns
/// output channels, K filter taps times source channels. For a tap and 64 channels, TMA gathers the
/// source pixels of a tile's rows (im2col), and fills padding with zeros. Workgroups are persistent
/// and compute tile after tile.

namespace gridwise::hopper {

/// The epilogue's last tensor, for the rows of a warpgroup from `row` of the tile on.
template <Config kC>
GRIDWISE_DEVICE StagedTensor<kC> StagedOf(const GatherArgs& args, const GatherTileAt& tile, int row,
                                          SharedAddress staging) {
  const EpilogueTensorArgs& tensor = args.epilogue.tensor[args.epilogue.tensors - 1];
  const char* const from = static_cast<const char*>(tensor.data) +
                           tile.group * tensor.strides.group +
                           static_cast<long>(tile.row + row) * args.staged_pitch + tile.column * 2;
  return {from, args.staged_pitch, args.gemm[tile.index].m - tile.row - row, args.n - tile.column,
          staging};
}

/// Stores a warpgroup's sums, from `row` of the tile on, where rows are pixels.
template <Config kC, class Finish>
GRIDWISE_DEVICE void StoreTileOfChannels(const GatherArgs& args, const GatherTileAt& tile,
                                         const Finish& finish, Stores aligned, bool is_staged,
                                         int staging, int group, int row, Sums<kC>& sums) {
#pragma unroll
  for (int rep = 0; rep < kC.reps; ++rep) {
    auto& d = sums.d[rep];
    const int first_row = row + rep * 64;
    const Stores stores = StoresOfSums<kC>(aligned, group, d);
    if (stores == Stores::kElements) [[unlikely]] {
      StoreElements<kC.columns>(finish, dynamic_shared_memory + staging, group, first_row, d);
      continue;
    }
    FinishRows<kC.columns, kC.type>(finish, first_row, d, 0, is_staged);
    if constexpr (kC.stores_boxes()) {
      const SharedAddress to = DynamicSharedMemory() + staging;
      const auto store = [&](auto&& prepare) __attribute__((always_inline)) {
        StoreByBoxes<kC>(args.out, to, tile.row + first_row, tile.column, tile.group, d, prepare);
      };
      if constexpr (Finish::kAddsTensors) {
        if (is_staged) [[unlikely]] {
          const StagedTensor<kC> staged = StagedOf<kC>(args, tile, row, to);
          const float scale = args.epilogue.tensor[args.epilogue.tensors - 1].scale;
          store([&](int i, SharedAddress buffer, auto& v) __attribute__((always_inline)) {
            staged.Wait(rep * StagedTensor<kC>::kOfRep + i);
            AddStagedRows<kC.epilogue_columns, kC.type>(buffer, scale, v);
            if (args.epilogue.clamps) ClampSums(args.epilogue, v);
          });
          continue;
        }
      }
      if (stores == Stores::kBoxes) {
        store([](int, SharedAddress, auto&) __attribute__((always_inline)) {
          if (ThreadId() % 32 == 0) WaitStoresRead<kC.buffers() - 1>();
          SyncWarp();
        });
        continue;
      }
    }
    StoreVectors<kC.columns, kC.type>(finish, first_row, d, 0);
  }
}

/// The same where w is A.
template <Config kC, class Finish>
GRIDWISE_DEVICE void StoreTileOfPixels(const GatherArgs& args, const GatherTileAt& tile,
                                       const Finish& finish, Stores aligned, int staging, int group,
                                       int first_channel, Sums<kC>& sums) {
#pragma unroll
  for (int rep = 0; rep < kC.reps; ++rep) {
    const int channel = first_channel + rep * 64;
    if (aligned == Stores::kBoxes) [[likely]] {
      FinishSums(args.epilogue, sums.d[rep]);
      StorePixelsByBoxes<kC>(args.out, DynamicSharedMemory() + staging, group, rep, tile.row,
                             tile.column + channel, tile.group, sums.d[rep]);
    } else {
      StorePixelsByElements<kC.columns>(finish, dynamic_shared_memory + staging, group, channel,
                                        sums.d[rep]);
    }
  }
}

/// Stores a warpgroup's sums, from `row` of the tile on.
template <Config kC, class Finish>
GRIDWISE_DEVICE void StoreTile(const GatherArgs& args, const GatherTileAt& tile,
                               const Finish& finish, Stores aligned, bool is_staged, int staging,
                               int group, int row, Sums<kC>& sums) {
  if constexpr (kC.w_is_a) {
    StoreTileOfPixels(args, tile, finish, aligned, staging, group, row, sums);
  } else {
    StoreTileOfChannels<kC>(args, tile, finish, aligned, is_staged, staging, group, row, sums);
  }
}

/// A tile without terms.
template <Config kC, class Finish>
GRIDWISE_DEVICE void StoreTileOfZeros(const GatherArgs& args, const GatherTileAt& tile,
                                      const Finish& finish, int staging, int group, int row) {
  if constexpr (kC.w_is_a) {
    Sums<kC> zeros = {};
    StoreTileOfPixels(args, tile, finish, Stores::kElements, staging, group, row, zeros);
  } else {
    StoreZeros<kC.columns, kC.type, kC.reps>(finish, args.stores, dynamic_shared_memory + staging,
                                             group, row);
  }
}

template <Config kC>
GRIDWISE_DEVICE void ConsumeGather(const GatherArgs& args, SharedAddress base) {
  const int group = WarpgroupId();
  const int staging = kC.staging_at() + group * kC.buffers() * kC.buffer_bytes();
  KTileRing<kC> ring(base);
  int turn = 0;
  GatherTileAt next = FindTile<kC>(args, BlockIdX());
  if constexpr (kC.resident > 0) ring.resident().Wait(0);
  for (int i = BlockIdX(); i < args.tiles * args.groups; i += GridSizeX()) {
    const GatherTileAt tile = next;
    const auto find_next = [&]() __attribute__((always_inline)) {
      if (i + GridSizeX() < args.tiles * args.groups) next = FindTile<kC>(args, i + GridSizeX());
    };
    // Tiles without terms take no turn: the warpgroup that multiplies next stores them meanwhile.
    const bool is_mine = !kC.pingpong || turn % kC.consumers == group;
    const bool has_terms = tile.steps() > 0, follows = turn > 0;
    if (has_terms) ++turn;
    if (!is_mine) {
      ring.Skip(tile.steps());
      find_next();
      continue;
    }
    const ProductOutputMap<kC> output = {{args, tile}};
    using Finish = FinisherOf<kC>;
    const Finish finish(args.epilogue, output, args.in_cluster ? 0 : tile.split);
    const int row = kC.pingpong ? 0 : group * kC.reps * 64;
    if (!has_terms) {
      StoreTileOfZeros<kC>(args, tile, finish, staging, group, row);
      find_next();
      continue;
    }
    const Stores aligned = finish.Aligned(args.stores);
    const bool is_staged =
        Finish::kAddsTensors && args.staged_pitch > 0 && aligned == Stores::kBoxes;
    if constexpr (Finish::kAddsTensors && kC.stores_boxes()) {
      if (is_staged) [[unlikely]]
        StagedOf<kC>(args, tile, row, base + staging).Begin();
    }
    if (!is_staged) FetchTensors<kC.columns>(finish, row);
    // Parities only distinguish adjacent phases, not later tiles': wait for this one's turn.
    if (kC.pingpong && follows) WaitAt(PingpongBarrier(group), 256);
    Sums<kC> sums;
    const bool is_last = i + GridSizeX() >= args.tiles * args.groups;
    if constexpr (kC.has_parts()) {
      MultiplyParts(sums, ring, tile.steps(), group);
      find_next();
    } else {
      MultiplyKTiles(sums, ring, {tile.steps() - tile.partial, tile.partial, args.of_partial},
                     group, is_last, find_next);
    }
    if constexpr (kC.has_clusters()) {
      if (args.in_cluster) {
        StoreOfCluster<kC>(finish, args.stores, args.splits, ring, staging, group, row, sums);
        return;  // a workgroup of a cluster has a single tile
      }
    }
    StoreTile<kC>(args, tile, finish, aligned, is_staged, staging, group, row, sums);
  }
  if (ThreadId() % 32 == 0) WaitStoresRead<0>();
}

template <Config kC>
struct GatherRoles {
  GRIDWISE_DEVICE static void Init(const GatherArgs& args, SharedAddress base) {
    Prefetch(args.source[0]);
    Prefetch(args.w[0]);
    const KTileRing<kC> ring(base);
    if constexpr (kC.resident > 0) ring.resident().Init(1);
    if constexpr (kC.has_clusters()) ring.exchanged().Init(1);
    ring.Init(4 * kC.tile_consumers());  // one lane per warp
  }
  GRIDWISE_DEVICE static void Produce(const GatherArgs& args, SharedAddress base) {
    ProduceGather<kC>(args, base);
  }
  GRIDWISE_DEVICE static void Consume(const GatherArgs& args, SharedAddress base) {
    ConsumeGather<kC>(args, base);
  }
};

}  // namespace gridwise::hopper
