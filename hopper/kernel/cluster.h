// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/kernel/store.h"

namespace gridwise::hopper {

/// How the workgroups of a cluster, which are the splits of a tile, add up their sums. A unit is 16
/// columns of 64 rows of each warpgroup. Workgroups take turns at owning a unit: all others send it
/// their sums, into the memory of the stages, and it adds them up in the order of the splits. A
/// thread adds the sums of the threads with the same number.
template <Config kC>
struct ClusterExchange {
  using Four = Vec<float, 4>;
  static constexpr int kThreads = 128 * kC.consumers, kOfUnit = 8, kPieces = kOfUnit / 4;
  static constexpr int kPieceBytes = kThreads * 16;
  static constexpr int kOfRep = kC.columns / 2 / kOfUnit, kUnits = kC.reps * kOfRep;
  static_assert(kC.has_clusters());

  const KTileRing<kC>& ring;
  int splits, rank;

  /// Address of this thread's pieces of the sums that were sent.
  GRIDWISE_DEVICE static Four* Mine() {
    return reinterpret_cast<Four*>(dynamic_shared_memory) + ThreadId();
  }
  /// The first piece of a unit and a split, in the workgroup that owns the unit.
  GRIDWISE_DEVICE int PieceOf(int unit, int owner, int split) const {
    return (unit - owner + split) * kPieces;
  }

  /// Call once nobody reads the stages anymore.
  GRIDWISE_DEVICE void Send(const Sums<kC>& sums) const {
    const SharedAddress mine = DynamicSharedMemory() + ThreadId() * 16;
    int owner = 0;
#pragma unroll
    for (int unit = 0; unit < kUnits; ++unit) {
      const float* const d = sums.d[unit / kOfRep] + unit % kOfRep * kOfUnit;
      const int first = PieceOf(unit, owner, rank);
      const SharedAddress there = OfClusterRank(mine + first * kPieceBytes, owner);
      const SharedAddress counts = OfClusterRank(ring.exchanged().at, owner);
#pragma unroll
      for (int i = 0; i < kPieces; ++i) {
        const Four v = {d[i * 4], d[i * 4 + 1], d[i * 4 + 2], d[i * 4 + 3]};
        if (owner != rank) {
          SendOfCluster(there + i * kPieceBytes, v, counts);
        } else {
          Mine()[(first + i) * kThreads] = v;
        }
      }
      if (++owner == splits) owner = 0;
    }
  }

  /// Adds up a unit of this workgroup, when all sums have arrived.
  GRIDWISE_DEVICE void Add(float (&v)[kOfUnit], int unit) const {
    constexpr int kAtATime = 4;
#pragma clang loop unroll(disable)
    for (int split = 0; split < splits; split += kAtATime) {
      Four sent[kAtATime][kPieces];
#pragma unroll
      for (int s = 0; s < kAtATime; ++s) {
        const int first = PieceOf(unit, rank, split + s < splits ? split + s : split);
#pragma unroll
        for (int i = 0; i < kPieces; ++i) sent[s][i] = Mine()[(first + i) * kThreads];
      }
#pragma unroll
      for (int s = 0; s < kAtATime; ++s) {
        const bool is_there = split + s < splits;  // no branch, which loads would have to wait for
#pragma unroll
        for (int i = 0; i < kOfUnit; ++i) v[i] += is_there ? sent[s][i / 4][i % 4] : 0;
      }
    }
  }
};

/// Stores a tile whose splits are a cluster. Called by all consumer threads. `row` is the
/// warpgroup's first row.
template <Config kC, class Finish>
GRIDWISE_DEVICE void StoreOfCluster(const Finish& finish, Stores stores, int splits,
                                    const KTileRing<kC>& ring, int staging, int group, int row,
                                    const Sums<kC>& sums) {
  using Exchange = ClusterExchange<kC>;
  const Exchange exchange = {ring, splits, ClusterRank()};
  if (ThreadId() == 0) {
    const int units = (Exchange::kUnits - exchange.rank + splits - 1) / splits;
    const int bytes = units * Exchange::kPieces * Exchange::kPieceBytes;
    ring.exchanged().ArriveAndExpect((splits - 1) * bytes);
  }
  ClusterMeet();  // nobody reads the stages anymore
  exchange.Send(sums);
  ring.exchanged().WaitOfCluster(0);
#pragma clang loop unroll(disable)
  for (int unit = exchange.rank; unit < Exchange::kUnits; unit += splits) {
    float v[Exchange::kOfUnit] = {};
    exchange.Add(v, unit);
    StoreByLanes<16, kC.type>(finish, stores, dynamic_shared_memory + staging, group,
                              row + unit / Exchange::kOfRep * 64, v, unit % Exchange::kOfRep * 16);
  }
}

}  // namespace gridwise::hopper
