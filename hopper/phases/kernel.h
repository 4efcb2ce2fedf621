// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/gather/output_map.h"
#include "hopper/gather/tile.h"
#include "hopper/kernel/roles.h"
#include "hopper/kernel/store.h"
#include "hopper/phases/config.h"
#include "hopper/phases/multiply.h"
#include "hopper/phases/produce.h"

/// See hopper/phases/config.h.

namespace gridwise::hopper {

/// TMA stores the phases of a tile, each warp its own 16 rows.
template <PhasesConfig kC>
GRIDWISE_DEVICE void StorePhasesByBoxes(const GatherArgs& args, SharedAddress staging, TileCoord at,
                                        PhaseSums<kC>& sums) {
  const SubGemm& joint = args.gemm[kJointGemm];
  const int lane = ThreadId() % 32, of_warp = ThreadId() % 128 / 32 * 16;
  const int row = at.row * kC.kRows + of_warp;
  const PhasePixel pixel = PixelOfRow(joint, row);
#pragma unroll
  for (int i = 0; i < kC.kPhases; ++i) {
    FinishSums(args.epilogue, sums[i]);
    const SharedAddress buffer = staging + i % 2 * kC.kBlockBytes + of_warp * 128;
    if (lane == 0) WaitStoresRead<1>();
    SyncWarp();
    StageRows<64, kC.type>(buffer, sums[i]);
    FenceAsyncProxy();
    SyncWarp();
    if (lane == 0) {
      if (row < joint.m) {
        StorePixels4(args.source[kPhaseMaps + i], buffer, at.column * 64,
                     {.w = pixel.j[2], .h = pixel.j[1], .d = 0, .image = pixel.n});
      }
      CommitStores();
    }
  }
}

/// Rows belong to any phase: a phase may have fewer pixels along an axis.
struct PhaseOutputMap : GatherOutputMap {
  GRIDWISE_DEVICE Row FindRow(int row) const {
    const SubGemm& joint = args.gemm[kJointGemm];
    if (tile.row + row >= joint.m) return {.is_there = false, .pixel = {}};
    const PhasePixel pixel = PixelOfRow(joint, tile.row + row);
    return {.is_there = pixel.j[1] < gemm().axis[1].count && pixel.j[2] < gemm().axis[2].count,
            .pixel = pixel};
  }
};

template <PhasesConfig kC>
GRIDWISE_DEVICE void ConsumePhases(const GatherArgs& args, SharedAddress base) {
  const PhaseTiles tiles(args);
  const int group = WarpgroupId();
  const int staging = kC.staging_at() + group * 2 * kC.kBlockBytes;
  // Calls store(finisher, phase) for each phase.
  const auto for_phases = [&](TileCoord at, auto&& store) __attribute__((always_inline)) {
#pragma unroll
    for (int i = 0; i < kC.kPhases; ++i) {
      GatherTileAt of_phase = {};
      of_phase.index = i;
      of_phase.row = at.row * kC.kRows;
      of_phase.column = at.column * 64;
      const PhaseOutputMap output = {{args, of_phase}};
      store(Finisher<PhaseOutputMap, Element<kC.type>>(args.epilogue, output, tiles.split), i);
    }
  };
  PhaseRing<kC> ring(base);
  int turn = 0;
  for (int i = tiles.first; i < args.tiles; i += tiles.workgroups, ++turn) {
    if (turn % 2 != group) {
      ring.Skip(args.k_tiles * kProductsOfKTile);
      continue;
    }
    const TileCoord at = TileCoordOf(args.order, i);
    if (tiles.split > 0) {
      for_phases(at, [&](const auto& finish, int) __attribute__((always_inline)) {
        StoreZeros<64, kC.type, 1>(finish, args.stores, dynamic_shared_memory + staging, group, 0);
      });
      continue;
    }
    if (turn < 2) ring.resident().Wait(0);
    if (turn > 0) WaitAt(PingpongBarrier(group), 256);
    PhaseSums<kC> sums;
    MultiplyPhases<kC>(sums, ring, args.k_tiles, group);
    if (args.stores == Stores::kBoxes) {
      StorePhasesByBoxes<kC>(args, base + staging, at, sums);
      continue;
    }
    for_phases(at, [&](const auto& finish, int of_phase) __attribute__((always_inline)) {
      StoreByLanes<64, kC.type>(finish, args.stores, dynamic_shared_memory + staging, group, 0,
                                sums[of_phase]);
    });
  }
  if (ThreadId() % 32 == 0) WaitStoresRead<0>();
}

template <PhasesConfig kC>
struct PhasesRoles {
  GRIDWISE_DEVICE static void Init(const GatherArgs& args, SharedAddress base) {
    Prefetch(args.source[0]);
    Prefetch(args.w[0]);
    const PhaseRing<kC> ring(base);
    ring.resident().Init(1);
    ring.Init(4);  // one lane per warp
  }
  GRIDWISE_DEVICE static void Produce(const GatherArgs& args, SharedAddress base) {
    ProducePhases<kC>(args, base);
  }
  GRIDWISE_DEVICE static void Consume(const GatherArgs& args, SharedAddress base) {
    ConsumePhases<kC>(args, base);
  }
};

}  // namespace gridwise::hopper
