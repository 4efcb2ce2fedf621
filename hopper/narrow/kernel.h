// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/halo/tile.h"
#include "hopper/halo_weight/output_map.h"
#include "hopper/kernel/roles.h"
#include "hopper/kernel/store.h"
#include "hopper/narrow/config.h"
#include "hopper/narrow/multiply.h"

/// Backward-weight of groups of few channels by single warps, see hopper/narrow/config.h. A warp
/// combines 16 pixels of dy with 16 of x at each tap, which lie [pixel][channel] and are loaded
/// transposed. Warps are parts of the pixels or of the taps; at the end the sums of parts of the
/// pixels are added up, in order. Workgroups that share the tiles of a block of channels are splits
/// of K. The first warp also loads tiles ahead: a separate producer warp would cost the others
/// registers.

namespace gridwise::hopper {

/// The sums of a block. Where a kernel multiplies no pixel that does not exist, a sum that is NaN
/// has terms that are NaN.
template <NarrowWeightConfig kC>
struct NarrowWeightOutputMap : HaloWeightOutputMap<kC.type> {
  GRIDWISE_DEVICE float Mend(float v, const HaloWeightOutputMap<kC.type>::Row& row,
                             int column) const {
    return kC.walks_rows ? HaloWeightOutputMap<kC.type>::Mend(v, row, column) : v;
  }
};

template <NarrowWeightConfig kC>
struct NarrowWeightRoles {
  static constexpr int kThreads = kC.threads();
  using Sums = NarrowSums<kC>;
  using Taps = int[kC.taps()];  // pixels of the patch from a tile's pixel to its source
  /// A lane's pairs of adjacent sums of a tap.
  using Pair = Vec<float, 2>;
  static constexpr int kPairs = 4;
  static constexpr int kOfWarp = kC.taps() * kPairs * 32;

  /// A run's first channel of dy, and of x, in a block.
  GRIDWISE_DEVICE static int RowOf(int run) { return run * 16 / kC.channels * 16; }
  GRIDWISE_DEVICE static int ColumnOf(int run) {
    return RowOf(run) / kC.channels * kC.channels + run * 16 % kC.channels;
  }

  GRIDWISE_DEVICE static void Init(const HaloArgs& args, SharedAddress base) {
    if (ThreadId() == 0) HaloRing<kC.stages>(args, base).Init(kC.warps);
    if (ThreadId() < 32) {  // the line of zeros
      *reinterpret_cast<float*>(dynamic_shared_memory + args.filter_at + ThreadId() * 4) = 0;
    }
  }

  /// Starts to load a tile, if there is one, when nobody reads its stage. Called by a whole warp.
  GRIDWISE_DEVICE static void Load(const HaloArgs& args, const HaloWork& work,
                                   Ring<kC.stages>& ring, int i) {
    if (i >= work.tiles) return;
    const HaloTileAt tile = FindHaloTile(args, i);
    ring.WaitEmpty();
    if (IsElected()) {
      ring.full().ArriveAndExpect(args.planes * args.box_bytes + args.tile_h * args.tile_w * 128);
      LoadPatch(args, ring, work.block * 64, tile);
      LoadBox(ring.at() + args.other_at, args.other, ring.full(), work.block * 64, tile.w, tile.h,
              tile.d, tile.image);
    }
    ring.Next();
  }

  /// Finds a warp's taps; those past the filter's last repeat the last, and their sums are not
  /// used.
  GRIDWISE_DEVICE static void FindTaps(Taps& taps, const HaloArgs& args, int first) {
    const int last = args.phase_end[0] - 1;
#pragma unroll
    for (int i = 0; i < kC.taps(); ++i) {
      const int tap = kC.has_windows() && first + i > last ? last : first + i;
      taps[i] = args.tap[tap].at / 128;
    }
  }

  /// Stores the sums of all warps in shared memory: [part or window][run][tap][pair][lane].
  GRIDWISE_DEVICE static void ShareSums(const Sums& sums) {
    Pair* const to = reinterpret_cast<Pair*>(dynamic_shared_memory) + ThreadId() / 32 * kOfWarp +
                     ThreadId() % 32;
    WaitAt(StoreBarrier(0), kThreads);  // nobody reads the stages anymore
#pragma unroll
    for (int i = 0; i < kC.taps() * kPairs; ++i) {
      const float* const v = sums[i / kPairs][i / 2 % 2] + i % 2 * 2;
      to[i * 32] = {v[0], v[1]};
    }
    WaitAt(StoreBarrier(0), kThreads);
  }

  /// Adds up the sums of all parts, in order, and stores them; warps of a run divide the pairs.
  GRIDWISE_DEVICE static void StoreSums(const HaloArgs& args, const HaloWork& work, int first_tap,
                                        int run, int part) {
    const int lane = ThreadId() % 32, first = kC.has_windows() ? ThreadId() / 32 : run;
    const int taps = kC.has_windows() ? Min(kC.taps(), args.phase_end[0] - first_tap) : kC.taps();
    const Pair* const from =
        reinterpret_cast<const Pair*>(dynamic_shared_memory) + first * kOfWarp + lane;
#pragma clang loop unroll(disable)
    for (int i = part; i < kPairs; i += kC.parts()) {
      StorePairs(args, work, args.tap + first_tap, taps, RowOf(run) + lane / 4 + i % 2 * 8,
                 ColumnOf(run) + lane % 4 * 2 + i / 2 * 8, from + i * 32);
    }
  }

  /// Stores the sums of two columns of a row at all taps, from `from` on.
  GRIDWISE_DEVICE static void StorePairs(const HaloArgs& args, const HaloWork& work,
                                         const HaloTap* tap, int taps, int row, int column,
                                         const Pair* from) {
    using OutputMap = NarrowWeightOutputMap<kC>;
    using Finish = Finisher<OutputMap, Element<kC.type>>;
    const HaloWeightBlock block(args, work);
    const OutputMap map = {{args, work, block, HaloTap{}}};
    const Finish all(args.epilogue, map, /*split=*/work.first);
    const auto of_row = all.FindRow(row);
    if (!of_row.is_there || column >= map.Count(0)) return;
    const bool by_pairs = all.Aligned(args.stores) == Stores::kVectors;
    if (by_pairs && !map.Has(of_row, column)) return;
    char* const to = all.RowOf(of_row) + all.Column(column);
    const int (&axis)[3] = args.epilogue.strides.axis;
#pragma clang loop unroll(disable)
    for (int t = 0; t < taps; ++t, from += kPairs * 32) {
      Pair v = from[0];
#pragma unroll
      for (int other = 1; other < kC.parts(); ++other) v += from[other * kC.runs() * kOfWarp];
      if (!by_pairs || v[0] != v[0] || v[1] != v[1]) {
        const OutputMap of_tap = {{args, work, block, tap[t]}};
        Finish(args.epilogue, of_tap, work.first).Store(v, of_row, column);
        continue;
      }
      float d[2] = {v[0], v[1]};
      FinishSums(args.epilogue, d);
      char* const at =
          to + long{tap[t].z} * axis[0] + long{tap[t].y} * axis[1] + long{tap[t].x} * axis[2];
      if (all.is_wide()) {
        *reinterpret_cast<Pair*>(at) = {d[0], d[1]};
      } else {
        *reinterpret_cast<unsigned*>(at) = Pack<kC.type>(d[0], d[1]);
      }
    }
  }

  GRIDWISE_DEVICE static void Run(const HaloArgs& args, SharedAddress base) {
    const int warp = ThreadId() / 32, run = warp % kC.runs();
    const int part = kC.has_windows() ? 0 : warp / kC.runs();
    const HaloWork work(args);
    const int first_tap =
        kC.has_windows() ? work.split * kC.window() + warp / kC.runs() * kC.taps() : 0;
    Taps taps;
    FindTaps(taps, args, first_tap);
    Ring<kC.stages> ring = HaloRing<kC.stages>(args, base);
    Ring<kC.stages> ahead = ring;
    constexpr int kAhead = kC.stages - 1;
    for (int i = 0; warp == 0 && i < kAhead; ++i)
      Load(args, work, ahead, work.first + i * work.step);
    const int rows = kC.walks_rows ? ItemRows(args.tile_h, args.tile_w, kC.parts()) : 0;
    Sums sums = {};
    for (int i = work.first; i < work.tiles; i += work.step, ring.Next()) {
      if (warp == 0) Load(args, work, ahead, i + kAhead * work.step);
      ring.WaitFull();
      const NarrowStage stage = {.x = ring.at(),
                                 .dy = ring.at() + args.other_at,
                                 .piece_x = ColumnOf(run) / 8,
                                 .piece_dy = RowOf(run) / 8};
      if constexpr (kC.walks_rows) {
        MultiplyRows<kC>(sums, args, stage, part, rows);
      } else {
        MultiplyPixels<kC>(sums, args, taps, stage, base + args.filter_at, FindHaloTile(args, i),
                           part);
      }
      SyncWarp();
      ring.Release(ring.stage());
    }
    ShareSums(sums);
    StoreSums(args, work, first_tap, run, part);
  }
};

}  // namespace gridwise::hopper
