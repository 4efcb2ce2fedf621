#pragma once

#include "hopper/kernel/cell_place.h"
#include "hopper/kernel/join_taps.h"

/// Forward of one group and few output channels, see hopper/halo.h: columns are all of them, K is
/// slabs of 64 source channels with all taps of the filter, of which a stage has one. Products of
/// few columns wait for operand A, so that rows join the taps that have the same.

namespace gridwise::hopper {

template <HaloDenseConfig kC>
struct HaloDenseRoles {
  static constexpr int kTaps = kC.filter * kC.filter;
  static constexpr int kStored = AlignUp(kC.columns, 8), kProduct = kC.product_columns();
  using Sums = float[kC.reps][kProduct / 2];
  using Join = TapJoin<kC.columns>;

  GRIDWISE_DEVICE static void Init(const HaloArgs& args, SharedAddress base) {
    for (int i = 0; i < kC.kept; ++i) Kept(args, base, i).Init(1);
    HaloRing<kC.stages>(args, base).Init(4 * kC.of_tile());
  }

  /// Counts the bytes of a filter that stays.
  GRIDWISE_DEVICE static Mbarrier Kept(const HaloArgs& args, SharedAddress base, int slab) {
    return {base + args.barriers_at + kC.stages * 16 + slab * 8};
  }
  GRIDWISE_DEVICE static SharedAddress FilterAt(const HaloArgs& args, SharedAddress base,
                                                SharedAddress stage, int slab) {
    return kC.kept > 0 ? base + args.filter_at + slab * args.slab_bytes : stage + args.other_at;
  }

  GRIDWISE_DEVICE static void Produce(const HaloArgs& args, SharedAddress base) {
    const HaloWork work(args);
    Ring<kC.stages> ring = HaloRing<kC.stages>(args, base);
    const int first = First(args, work), end = End(args, work);
    const int filter_bytes = kTaps * args.channels * 128;
    const auto load_filter = [&](SharedAddress stage, int slab, Mbarrier bar) {
      const SharedAddress to = FilterAt(args, base, stage, slab);
#pragma unroll
      for (int tap = 0; tap < (kC.joins ? kTaps : 1); ++tap) {
        LoadBox(to + tap * args.filter_pitch, args.other, bar, slab * 64, 0, tap);
      }
    };
    for (int i = work.first; i < work.tiles; i += work.step) {
      const HaloTileAt tile = FindHaloTile(args, i);
      for (int slab = first; slab < end; ++slab, ring.Next()) {
        if (kC.kept > 0 && i == work.first && IsElected()) {
          const Mbarrier kept = Kept(args, base, slab);
          kept.ArriveAndExpect(filter_bytes);
          load_filter(base, slab, kept);
        }
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
    for (int tap = 0; tap < kTaps; tap += kC.joined()) {
      const MatrixDescriptor a_tap = Moved(a, args.tap[tap].at);
#pragma unroll
      for (int k16 = 0; k16 < 4; ++k16) {
#pragma unroll
        for (int rep = 0; rep < kC.reps; ++rep) {
          Wgmma<kProduct, kC.type, OperandOrder::kRunsAlongK, OperandOrder::kRunsAlongK>(
              sums[rep], Moved(a_tap, rep * kC.rows() * 128 + k16 * 32),
              Moved(b, tap * args.filter_pitch + k16 * 32), !kFirst || tap + k16 != 0);
        }
      }
    }
    WgmmaCommit();
  }

  GRIDWISE_DEVICE static void JoinTaps(char* staging, int group, Sums& sums) {
    static_assert(kC.reps * Join::kBytes <= 8192);
    WaitAt(StoreBarrier(group), 128);  // until nobody reads what was there
#pragma unroll
    for (int rep = 0; rep < kC.reps; ++rep) Join{staging + rep * Join::kBytes}.Share(sums[rep]);
    WaitAt(StoreBarrier(group), 128);
#pragma unroll
    for (int rep = 0; rep < kC.reps; ++rep) Join{staging + rep * Join::kBytes}.Add(sums[rep]);
  }

  GRIDWISE_DEVICE static void Consume(const HaloArgs& args, SharedAddress base) {
    const int group = WarpgroupId(), first_cell = kC.take_turns ? 0 : group * kC.reps * kC.rows();
    const HaloWork work(args);
    const int first = First(args, work), end = End(args, work);
    Ring<kC.stages> ring = HaloRing<kC.stages>(args, base);
    const auto wait_full = [&](int tile, int slab) __attribute__((always_inline)) {
      if (kC.kept > 0 && tile == work.first) Kept(args, base, slab).Wait(0);
      ring.WaitFull();
    };
    for (int i = work.first, turn = 0; i < work.tiles; i += work.step, ++turn) {
      if (kC.take_turns && turn % 2 != group) {
        ring.Skip(end - first);
        continue;
      }
      const HaloTileAt tile = FindHaloTile(args, i);
      CellPlace place = {args, tile};
      const Finisher<CellPlace, Element<kC.type>> finish(args.epilogue, place, work.split);
      char* const staging = dynamic_shared_memory + args.staging_at + group * 8192;
      if (first == end) {
        StoreZeros<kStored, kC.type, kC.reps>(finish, args.stores, staging, group, first_cell);
        continue;
      }
      // Parities tell neighbouring phases apart, not those of a later tile.
      if (kC.take_turns && turn > 0) WaitAt(TurnBarrier(group), 256);
      Sums sums;
      wait_full(i, first);
      StartSlab<true>(sums, args, ring.at() + first_cell * 128,
                      FilterAt(args, base, ring.at(), first));
      int last = ring.stage();
      ring.Next();
      for (int slab = first + 1; slab < end; ++slab, ring.Next()) {
        wait_full(i, slab);
        StartSlab<false>(sums, args, ring.at() + first_cell * 128,
                         FilterAt(args, base, ring.at(), slab));
        WgmmaWait<1>();
        ring.Release(last);
        last = ring.stage();
      }
      if (kC.take_turns) ArriveAt(TurnBarrier(group ^ 1), 256);
      WgmmaWait<0>();
      ring.Release(last);
#pragma unroll
      for (int rep = 0; rep < kC.reps; ++rep) Touch(sums[rep]);
      if constexpr (kC.joins) JoinTaps(staging, group, sums);
#pragma unroll
      for (int rep = 0; rep < kC.reps; ++rep) {
        const int row = first_cell + rep * kC.rows();
        place.end = row + kC.rows();
        float d[kStored / 2];
#pragma unroll
        for (int i = 0; i < kStored / 2; ++i) d[i] = sums[rep][i];
        StoreByLanes<kStored, kC.type>(finish, args.stores, staging, group, row, d);
      }
    }
  }
};

}  // namespace gridwise::hopper
