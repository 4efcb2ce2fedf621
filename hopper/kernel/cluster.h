#pragma once

#include "hopper/kernel/store.h"

namespace gridwise::hopper {

/// Stores a tile whose splits are a cluster, by all threads that consume: each workgroup puts its
/// sums into shared memory, in place of the stages, and adds up those of all, in the order of the
/// splits, for some of the columns. `row` is the warpgroup's first.
template <Config kC, class Finish>
GRIDWISE_DEVICE void StoreOfCluster(const Finish& finish, Stores stores, int splits, char* staging,
                                    int group, int row, const Sums<kC>& sums) {
  using Four = Vec<float, 4>;
  constexpr int kThreads = 128 * kC.groups, kOfRow = kC.columns / 2, kOfUnit = 8;
  constexpr int kAtATime = 4;
  constexpr int kUnits = kC.reps * kOfRow / kOfUnit;  // of 64 rows and 16 columns
  static_assert(kC.reps * kOfRow * kThreads * 4 <= kC.staging_at());
  WaitAt(ClusterBarrier(), kThreads);  // nobody reads the stages any more
  Four* const mine = reinterpret_cast<Four*>(dynamic_shared_memory) + ThreadId();
#pragma unroll
  for (int i = 0; i < kC.reps * kOfRow; i += 4) {
    const float* const d = sums.d[i / kOfRow] + i % kOfRow;
    mine[i / 4 * kThreads] = Four{d[0], d[1], d[2], d[3]};
  }
  ClusterSync();
  const SharedAddress at = DynamicSharedMemory() + ThreadId() * 16;
  using OfSplits = Four[kAtATime][kOfUnit / 4];
  const auto load = [&](int unit, int first, OfSplits& loaded) __attribute__((always_inline)) {
#pragma unroll
    for (int s = 0; s < kAtATime; ++s) {
      const int split = first + s < splits ? first + s : first;
      const SharedAddress from = OfClusterRank(at + unit * kOfUnit * kThreads * 4, split);
#pragma unroll
      for (int i = 0; i < kOfUnit / 4; ++i) loaded[s][i] = LoadOfCluster(from + i * kThreads * 16);
    }
  };
  const auto add = [&](float (&v)[kOfUnit], int first,
                       const OfSplits& loaded) __attribute__((always_inline)) {
#pragma unroll
    for (int s = 0; s < kAtATime; ++s) {
      const bool is_there = first + s < splits;  // no branch, before which loads would wait
#pragma unroll
      for (int i = 0; i < kOfUnit; ++i) v[i] += is_there ? loaded[s][i / 4][i % 4] : 0;
    }
  };
  OfSplits next;  // of the unit after this one: on their way while this one is stored
  if (ClusterRank() < kUnits) load(ClusterRank(), 0, next);
#pragma clang loop unroll(disable)
  for (int unit = ClusterRank(); unit < kUnits; unit += splits) {
    float v[kOfUnit] = {};
    add(v, 0, next);
#pragma clang loop unroll(disable)
    for (int first = kAtATime; first < splits; first += kAtATime) {
      OfSplits loaded;
      load(unit, first, loaded);
      add(v, first, loaded);
    }
    if (unit + splits < kUnits) load(unit + splits, 0, next);
    constexpr int kOfRep = kOfRow / kOfUnit;
    StoreByLanes<16, kC.type>(finish, stores, staging, group, row + unit / kOfRep * 64, v,
                              unit % kOfRep * 16);
  }
  ClusterMeet();  // nobody's shared memory is read any more
}

}  // namespace gridwise::hopper
