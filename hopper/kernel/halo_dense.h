#pragma once

#include "hopper/kernel/cell_place.h"

/// Forward of one group and few output channels, see hopper/halo.h: columns are all of them, K is
/// slabs of 64 source channels with all taps of the filter, of which a stage has one.

namespace gridwise::hopper {

template <HaloDenseConfig kC>
struct HaloDenseRoles {
  static constexpr int kTaps = kC.filter * kC.filter;
  using Sums = float[kC.reps][kC.columns / 2];

  GRIDWISE_DEVICE static void Init(const HaloArgs& args, SharedAddress base) {
    if constexpr (kC.kept > 0) Kept(args, base).Init(1);
    HaloRing<kC.stages>(args, base).Init(4 * kC.warpgroups());
  }

  /// Counts the bytes of the filters that stay.
  GRIDWISE_DEVICE static Mbarrier Kept(const HaloArgs& args, SharedAddress base) {
    return {base + args.barriers_at + kC.stages * 16};
  }
  GRIDWISE_DEVICE static SharedAddress FilterAt(const HaloArgs& args, SharedAddress base,
                                                SharedAddress stage, int slab) {
    return kC.kept > 0 ? base + args.filter_at + slab * args.slab_bytes : stage + args.other_at;
  }

  GRIDWISE_DEVICE static void Produce(const HaloArgs& args, SharedAddress base) {
    const HaloWork work(args);
    Ring<kC.stages> ring = HaloRing<kC.stages>(args, base);
    const int first = First(args, work), end = End(args, work);
    const int filter_bytes = kTaps * args.filter_pitch;
    const auto load_filter = [&](SharedAddress stage, int slab, Mbarrier bar) {
      LoadBox(FilterAt(args, base, stage, slab), args.other, bar, slab * 64, 0, 0);
    };
    if (kC.kept > 0 && IsElected()) {
      Kept(args, base).ArriveAndExpect((end - first) * filter_bytes);
      for (int slab = first; slab < end; ++slab) load_filter(base, slab, Kept(args, base));
    }
    for (int i = work.first; i < work.tiles; i += work.step) {
      const HaloTileAt tile = FindHaloTile(args, i);
      for (int slab = first; slab < end; ++slab, ring.Next()) {
        ring.WaitEmpty();
        if (!IsElected()) continue;
        ring.full().ArriveAndExpect(args.planes * args.box_bytes +
                                    (kC.kept > 0 ? 0 : filter_bytes));
        LoadPatch(args, ring, slab, tile);
        if constexpr (kC.kept == 0) load_filter(ring.at(), slab, ring.full());
      }
    }
  }

  /// The slabs of the workgroup's split.
  GRIDWISE_DEVICE static int First(const HaloArgs& args, const HaloWork& work) {
    return args.slabs * work.split / args.splits;
  }
  GRIDWISE_DEVICE static int End(const HaloArgs& args, const HaloWork& work) {
    return args.slabs * (work.split + 1) / args.splits;
  }

  /// Starts the products of a slab at all taps.
  template <bool kFirst>
  GRIDWISE_DEVICE static void StartSlab(Sums& sums, const HaloArgs& args, SharedAddress cells,
                                        SharedAddress filter) {
    const MatrixDescriptor a = RunsAlongK<128>(OfWarp(cells));
    const MatrixDescriptor b = RunsAlongK<128>(OfWarp(filter));
    WgmmaFence();
#pragma unroll
    for (int tap = 0; tap < kTaps; ++tap) {
      const MatrixDescriptor a_tap = Moved(a, args.tap[tap].at);
#pragma unroll
      for (int k16 = 0; k16 < 4; ++k16) {
#pragma unroll
        for (int rep = 0; rep < kC.reps; ++rep) {
          Wgmma<kC.columns, kC.type, OperandOrder::kRunsAlongK, OperandOrder::kRunsAlongK>(
              sums[rep], Moved(a_tap, rep * 8192 + k16 * 32),
              Moved(b, tap * args.filter_pitch + k16 * 32), !kFirst || tap + k16 != 0);
        }
      }
    }
    WgmmaCommit();
  }

  GRIDWISE_DEVICE static void Consume(const HaloArgs& args, SharedAddress base) {
    const int group = WarpgroupId(), first_cell = group * kC.reps * 64;
    const HaloWork work(args);
    const int first = First(args, work), end = End(args, work);
    Ring<kC.stages> ring = HaloRing<kC.stages>(args, base);
    if constexpr (kC.kept > 0) Kept(args, base).Wait(0);
    for (int i = work.first; i < work.tiles; i += work.step) {
      const HaloTileAt tile = FindHaloTile(args, i);
      const CellPlace place = {args, tile};
      const Finisher<CellPlace, Element<kC.type>> finish(args.epilogue, place, work.split);
      char* const staging = dynamic_shared_memory + args.staging_at + group * 8192;
      if (first == end) {
        StoreZeros<kC.columns, kC.type, kC.reps>(finish, args.stores, staging, group, first_cell);
        continue;
      }
      Sums sums;
      ring.WaitFull();
      StartSlab<true>(sums, args, ring.at() + first_cell * 128,
                      FilterAt(args, base, ring.at(), first));
      int last = ring.stage();
      ring.Next();
      for (int slab = first + 1; slab < end; ++slab, ring.Next()) {
        ring.WaitFull();
        StartSlab<false>(sums, args, ring.at() + first_cell * 128,
                         FilterAt(args, base, ring.at(), slab));
        WgmmaWait<1>();
        ring.Release(last);
        last = ring.stage();
      }
      WgmmaWait<0>();
      ring.Release(last);
#pragma unroll
      for (int rep = 0; rep < kC.reps; ++rep) {
        Touch(sums[rep]);
        StoreByLanes<kC.columns, kC.type>(finish, args.stores, staging, group,
                                          first_cell + rep * 64, sums[rep]);
      }
    }
  }
};

}  // namespace gridwise::hopper
