// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/halo/args.h"
#include "hopper/halo/config.h"
#include "hopper/halo/fill_filter.h"
#include "hopper/halo/multiply.h"
#include "hopper/halo/output_map.h"
#include "hopper/halo/store_box.h"
#include "hopper/halo/tile.h"
#include "hopper/kernel/roles.h"
#include "hopper/kernel/store.h"

/// Forward and backward-data of groups of few channels, see hopper/halo/config.h. A workgroup keeps
/// the filter of a block of channels in shared memory, expanded for the products: for each
/// output channel and tap, kC.channels source channels, with zeros for those of other groups.
///
/// Zeros times a NaN or an infinity of another group are NaN, which must not leave its group. One
/// lane therefore recomputes sums that are NaN, from the terms of their own group.

namespace gridwise::hopper {

template <HaloConfig kC>
struct HaloRoles {
  static constexpr int kTeam = 128 * kC.consumers;

  GRIDWISE_DEVICE static void Init(const HaloArgs& args, SharedAddress base) {
    RingOf(args, base).Init(4 * kC.consumers);
  }

  GRIDWISE_DEVICE static auto RingOf(const HaloArgs& args, SharedAddress base) {
    return HaloRing<kC.stages, kC.full_barriers()>(args, base);
  }

  GRIDWISE_DEVICE static void Produce(const HaloArgs& args, SharedAddress base) {
    const HaloWork work(args);
    auto ring = RingOf(args, base);
    for (int i = work.first; i < work.tiles; i += work.step, ring.Next()) {
      ring.WaitEmpty();
      if (!IsElected()) continue;
      ring.full().ArriveAndExpect(args.planes * args.box_bytes);
      LoadPatch(args, ring, work.block * kC.block(), FindHaloTile(args, i));
    }
  }

  GRIDWISE_DEVICE static void Consume(const HaloArgs& args, SharedAddress base) {
    const int group = WarpgroupId(), team = group / kC.consumers;
    const int warpgroup = group % kC.consumers, barrier = PingpongBarrier(team);
    const bool is_first = ThreadId() % kTeam == 0;
    const HaloWork work(args);
    FillFilter<kC>(args, work.block, /*is_zero=*/work.split > 0);
    FenceAsyncProxy();
    WaitAt(StoreBarrier(6), 128 * kC.warpgroups());
    auto ring = RingOf(args, base);
    int turn = 0;
    const unsigned rows = RowsOfTile<kC>(args, warpgroup);
    for (int i = work.first; i < work.tiles; i += work.step, ++turn, ring.Next()) {
      if (turn % kC.teams != team) continue;
      const HaloTileAt tile = FindHaloTile(args, i);
      ring.WaitFull();
      HaloSums<kC> sums;
      MultiplyTaps(sums, args, ring.at() + warpgroup * kC.reps * 64 * kC.pixel_bytes(),
                   base + args.filter_at);
      ring.Release(ring.stage());
      if (is_first && args.buffers == 1) WaitStoresRead<0>();
      if (is_first && args.buffers == 2) WaitStoresRead<1>();
      const int buffer = args.buffers == 1 ? 0 : turn / kC.teams % 2;
      const int staging = args.staging_at + (team * args.buffers + buffer) * kC.staging_bytes();
      bool mends = false;
      if constexpr (kC.type != DataType::kI8) {
        mends = AnyAt(barrier, kTeam, args.mixes && HasNonFinite(sums, rows));
        if (args.stores == Stores::kBoxes && !mends) {
          StoreHaloBox(args, tile, work.block, base + staging, warpgroup, barrier, is_first, sums);
          continue;
        }
      }
      const HaloOutputMap<kC> output = {args, tile, work.block, work.split};
      constexpr bool kTensors = kC.direction == Direction::kForward;
      const Finisher<HaloOutputMap<kC>, Element<kC.type>, kTensors> finish(args.epilogue, output,
                                                                           work.split);
#pragma unroll
      for (int c = 0; c < kC.phases(); ++c) {
#pragma unroll
        for (int rep = 0; rep < kC.reps; ++rep) {
          StoreByLanes<kC.block(), kC.type>(
              finish, mends ? Stores::kElements : args.stores,
              dynamic_shared_memory + staging + warpgroup * 8192, group,
              c * kC.pixels() + (warpgroup * kC.reps + rep) * 64, sums.d[c][rep]);
        }
      }
      if (is_first) CommitStores();  // empty, when it is this team's turn
    }
    if (is_first) WaitStoresRead<0>();
  }
};

}  // namespace gridwise::hopper
