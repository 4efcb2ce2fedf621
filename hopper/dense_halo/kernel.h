// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/dense_halo/config.h"
#include "hopper/dense_halo/filter.h"
#include "hopper/dense_halo/merge_taps.h"
#include "hopper/halo/pixel_output_map.h"
#include "hopper/halo/tile.h"
#include "hopper/kernel/roles.h"
#include "hopper/kernel/store.h"

/// Forward, or backward-data with stride 1, for one group and few output channels, see
/// hopper/halo/config.h. The columns are all output channels. A stage has what a step of K
/// multiplies: a k tile of source channels of a patch, and the filter's taps in a slice. Products
/// with few columns wait for operand A, so a product merges taps that have the same A.
///
/// In backward-data of 16-bit types the filter lies along its columns, tap after tap, so the
/// columns of a line's taps are adjacent. The first are those of the tap that meets the furthest
/// pixel.

namespace gridwise::hopper {

template <HaloDenseConfig kC>
struct HaloDenseRoles {
  using Filter = HaloDenseFilter<kC>;
  static constexpr int kTaps = Filter::kTaps, kPixelBytes = Filter::kPixelBytes;
  static constexpr int kStored = AlignUp(kC.columns, 8), kProduct = kC.product_columns();
  static constexpr OperandOrder kOrderB =
      kC.b_runs_along_k() ? OperandOrder::kRunsAlongK : OperandOrder::kLinesPerK;
  using Sums = float[kC.reps][kProduct / 2];
  using Merge = TapMerge<kC.columns, !kC.b_runs_along_k()>;

  GRIDWISE_DEVICE static void Init(const HaloArgs& args, SharedAddress base) {
    for (int i = 0; i < kC.resident; ++i) Filter::Resident(args, base, i).Init(1);
    HaloRing<kC.stages>(args, base).Init(4 * kC.tile_consumers());
  }

  GRIDWISE_DEVICE static void Produce(const HaloArgs& args, SharedAddress base) {
    const HaloWork work(args);
    Ring<kC.stages> ring = HaloRing<kC.stages>(args, base);
    const int first = First(args, work), end = End(args, work);
    const int filter_bytes = Filter::Bytes(args);
    for (int i = work.first; i < work.tiles; i += work.step) {
      const HaloTileAt tile = FindHaloTile(args, i);
      for (int step = first; step < end; ++step, ring.Next()) {
        const int k_tile = Quotient(step, args.by_depth), channel = k_tile * kC.k_tile;
        const int first_tap = (step - k_tile * args.depth) * kTaps;
        if (kC.resident > 0 && i == work.first && IsElected()) {
          const Mbarrier resident = Filter::Resident(args, base, step);
          resident.ArriveAndExpect(filter_bytes);
          Filter::Load(args, channel, first_tap, Filter::At(args, base, base, step), resident);
        }
        ring.WaitEmpty();
        if (!IsElected()) continue;
        ring.full().ArriveAndExpect(args.planes * args.box_bytes +
                                    (kC.resident > 0 ? 0 : filter_bytes));
        LoadPatch(args, ring, channel, tile, args.tap[first_tap].d);
        if constexpr (kC.resident == 0) {
          Filter::Load(args, channel, first_tap, Filter::At(args, base, ring.at(), step),
                       ring.full());
        }
      }
    }
  }

  /// The first step of the workgroup's split.
  GRIDWISE_DEVICE static int First(const HaloArgs& args, const HaloWork& work) {
    return args.k_tiles * work.split / args.splits;
  }
  GRIDWISE_DEVICE static int End(const HaloArgs& args, const HaloWork& work) {
    return args.k_tiles * (work.split + 1) / args.splits;
  }

  /// The operand of the filter's first 32 bytes of channels.
  GRIDWISE_DEVICE static MatrixDescriptor FilterOperand(SharedAddress filter) {
    if constexpr (kC.b_runs_along_k()) return RunsAlongK<kPixelBytes>(OfWarp(filter));
    return LinesPerK(OfWarp(filter), kC.k_tile * 128);
  }

  /// Starts the products of a step at all taps.
  template <bool kFirst>
  GRIDWISE_DEVICE static void StartStep(Sums& sums, const HaloArgs& args, SharedAddress pixels,
                                        SharedAddress filter) {
    constexpr int kBytesOfB = kC.b_runs_along_k() ? 32 : 16 * 128;  // for 32 bytes of channels
    const MatrixDescriptor a = RunsAlongK<kPixelBytes>(OfWarp(pixels));
    const MatrixDescriptor b = FilterOperand(filter);
    WgmmaFence();
#pragma unroll
    for (int tap = 0; tap < kTaps; tap += kC.merged_taps()) {
      const MatrixDescriptor a_tap = Moved(a, args.tap[tap].at);
      const int at_b = Filter::PlaceOf(tap) * args.filter_pitch;
#pragma unroll
      for (int run = 0; run < kPixelBytes / 32; ++run) {
#pragma unroll
        for (int rep = 0; rep < kC.reps; ++rep) {
          Wgmma<kProduct, kC.type, OperandOrder::kRunsAlongK, kOrderB>(
              sums[rep], Moved(a_tap, rep * kC.rows() * kPixelBytes + run * 32),
              Moved(b, at_b + run * kBytesOfB), !kFirst || tap + run != 0);
        }
      }
    }
    WgmmaCommit();
  }

  GRIDWISE_DEVICE static void MergeTaps(char* staging, int group, Sums& sums) {
    static_assert(kC.reps * Merge::kBytes <= 8192);
    WaitAt(StoreBarrier(group), 128);  // waits until nobody reads the old contents
#pragma unroll
    for (int rep = 0; rep < kC.reps; ++rep) Merge{staging + rep * Merge::kBytes}.Share(sums[rep]);
    WaitAt(StoreBarrier(group), 128);
#pragma unroll
    for (int rep = 0; rep < kC.reps; ++rep) Merge{staging + rep * Merge::kBytes}.Add(sums[rep]);
  }

  GRIDWISE_DEVICE static void Consume(const HaloArgs& args, SharedAddress base) {
    const int group = WarpgroupId(), first_pixel = kC.pingpong ? 0 : group * kC.reps * kC.rows();
    const HaloWork work(args);
    const int first = First(args, work), end = End(args, work);
    Ring<kC.stages> ring = HaloRing<kC.stages>(args, base);
    const auto wait_full = [&](int tile, int step) __attribute__((always_inline)) {
      if (kC.resident > 0 && tile == work.first) Filter::Resident(args, base, step).Wait(0);
      ring.WaitFull();
    };
    for (int i = work.first, turn = 0; i < work.tiles; i += work.step, ++turn) {
      if (kC.pingpong && turn % 2 != group) {
        ring.Skip(end - first);
        continue;
      }
      const HaloTileAt tile = FindHaloTile(args, i);
      PixelOutputMap output = {args, tile};
      const Finisher<PixelOutputMap, Element<kC.type>, kC.is_forward()> finish(args.epilogue,
                                                                               output, work.split);
      char* const staging = dynamic_shared_memory + args.staging_at + group * 8192;
      if (first == end) {
        StoreZeros<kStored, kC.type, kC.reps>(finish, args.stores, staging, group, first_pixel);
        continue;
      }
      // Parities only distinguish adjacent phases, not those of a later tile.
      if (kC.pingpong && turn > 0) WaitAt(PingpongBarrier(group), 256);
      Sums sums;
      wait_full(i, first);
      StartStep<true>(sums, args, ring.at() + first_pixel * kPixelBytes,
                      Filter::At(args, base, ring.at(), first));
      int last = ring.stage();
      ring.Next();
      for (int step = first + 1; step < end; ++step, ring.Next()) {
        wait_full(i, step);
        StartStep<false>(sums, args, ring.at() + first_pixel * kPixelBytes,
                         Filter::At(args, base, ring.at(), step));
        WgmmaWait<1>();
        ring.Release(last);
        last = ring.stage();
      }
      if (kC.pingpong) ArriveAt(PingpongBarrier(group ^ 1), 256);
      WgmmaWait<0>();
      ring.Release(last);
#pragma unroll
      for (int rep = 0; rep < kC.reps; ++rep) Touch(sums[rep]);
      if constexpr (kC.merges_taps) MergeTaps(staging, group, sums);
#pragma unroll
      for (int rep = 0; rep < kC.reps; ++rep) {
        const int row = first_pixel + rep * kC.rows();
        output.end = row + kC.rows();
        float d[kStored / 2];
#pragma unroll
        for (int i = 0; i < kStored / 2; ++i) d[i] = sums[rep][i];
        StoreByLanes<kStored, kC.type>(finish, args.stores, staging, group, row, d);
      }
    }
  }
};

}  // namespace gridwise::hopper
