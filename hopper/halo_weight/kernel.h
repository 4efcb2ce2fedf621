// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/halo/tile.h"
#include "hopper/halo_weight/config.h"
#include "hopper/halo_weight/output_map.h"
#include "hopper/kernel/roles.h"
#include "hopper/kernel/store.h"

/// Backward-weight of groups of few channels, or of one group, see hopper/halo/config.h. Products
/// combine 64 channels of dy and 64 of x at each tap, and only the blocks of the groups are kept. K
/// is the pixels of a tile, counted by the patch's pitch; dy is zero in the columns that the tile
/// does not have. Workgroups of a block of channels share its tiles, and each is a split of K. If a
/// filter has more taps than there are sums, workgroups divide it by its slices.
///
/// Those zeros times a NaN or an infinity of x are NaN. One lane therefore recomputes sums that are
/// NaN, from the pixels that exist.

namespace gridwise::hopper {

/// Lanes store 64 x 64 sums from their registers, in pairs of columns that are adjacent in a group.
template <DataType kNarrow, class Finish>
GRIDWISE_DEVICE void StorePairs(const Finish& finish, const HaloWeightOutputMap<kNarrow>& output,
                                const float (&d)[32]) {
  const int lane = ThreadId() % 32, first_row = ThreadId() % 128 / 32 * 16 + lane / 4;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const auto row = finish.FindRow(first_row + half * 8);
    char* const of_row = finish.RowOf(row);
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const int column = j * 8 + lane % 4 * 2;
      const bool is_there = row.is_there && column < output.Count(0) && output.Has(row, column);
      char* const to = of_row + finish.Column(column);
      const float* const v = d + j * 4 + half * 2;
      if (finish.is_wide()) {
        StoreIf(is_there, to,
                Vec<unsigned, 2>{__builtin_bit_cast(unsigned, v[0]),
                                 __builtin_bit_cast(unsigned, v[1])});
      } else if (is_there) {
        *reinterpret_cast<unsigned*>(to) = Pack<kNarrow>(v[0], v[1]);
      }
    }
  }
}

template <HaloWeightConfig kC>
struct HaloWeightRoles {
  static constexpr int kTapsOfGroup = HaloWeightConfig::kTaps / HaloWeightConfig::kGroups;

  GRIDWISE_DEVICE static void Init(const HaloArgs& args, SharedAddress base) {
    HaloRing<kC.stages>(args, base).Init(4 * HaloWeightConfig::kGroups);
  }

  /// Stages begin as zeros: parts that no load writes must be finite, and zero in dy.
  GRIDWISE_DEVICE static void Fill(const HaloArgs& args, SharedAddress base) {
    for (int at = ThreadId() * 16; at < kC.stages * args.stage_bytes; at += kC.threads() * 16) {
      StoreZeros16(base + at);
    }
    FenceAsyncProxy();
  }

  GRIDWISE_DEVICE static void Produce(const HaloArgs& args, SharedAddress base) {
    const HaloWork work(args);
    const HaloWeightBlock block(args, work);
    const int slice = args.tap[HaloWeightTaps(args, work).first].d;
    Ring<kC.stages> ring = HaloRing<kC.stages>(args, base);
    const bool of_tiles = args.dy_lines > 1;  // a box is a tile; otherwise it is one line
    const int line_bytes = (of_tiles ? args.pitch : args.tile_w) * 128;
    for (int i = work.first; i < work.tiles; i += work.step, ring.Next()) {
      const HaloTileAt tile = FindHaloTile(args, i);
      ring.WaitEmpty();
      if (!IsElected()) continue;
      ring.full().ArriveAndExpect(args.planes * args.box_bytes + args.tile_h * line_bytes);
      LoadPatch(args, ring, block.x * 64, tile, slice);
      for (int h = 0; h < args.tile_h; h += args.dy_lines) {
        LoadBox(ring.at() + args.other_at + h * args.pitch * 128, args.other, ring.full(),
                block.dy * 64, of_tiles ? 0 : tile.w, of_tiles ? tile.w / args.tile_w : 0,
                tile.h + h, tile.image * args.out_d + tile.d);
      }
    }
  }

  GRIDWISE_DEVICE static void Consume(const HaloArgs& args, SharedAddress base) {
    const HaloWork work(args);
    const int group = WarpgroupId(), first_tap = group * kTapsOfGroup;
    const HaloWeightBlock block(args, work);
    const HaloWeightTaps taps(args, work);
    float sums[kTapsOfGroup][32] = {};
    Ring<kC.stages> ring = HaloRing<kC.stages>(args, base);
    int last = -1;
    for (int i = work.first; i < work.tiles; i += work.step, ring.Next()) {
      ring.WaitFull();
      WgmmaFence();
      StartTile(sums, args, ring.at(), first_tap);
      WgmmaCommit();
      WgmmaWait<1>();
      if (last >= 0) ring.Release(last);
      last = ring.stage();
    }
    WgmmaWait<0>();
#pragma unroll
    for (int t = 0; t < kTapsOfGroup; ++t) {
      Touch(sums[t]);
      if (first_tap + t >= taps.count) continue;
      using OutputMap = HaloWeightOutputMap<kC.type>;
      const OutputMap output = {args, work, block, args.tap[taps.first + first_tap + t]};
      const Finisher<OutputMap, Element<kC.type>> finish(args.epilogue, output,
                                                         /*split=*/work.first);
      bool mends = false;
#pragma unroll
      for (const float v : sums[t]) mends |= v != v;
      if (finish.Aligned(args.stores) == Stores::kVectors &&
          !AnyAt(StoreBarrier(group), 128, mends)) {
        FinishSums(args.epilogue, sums[t]);
        StorePairs<kC.type>(finish, output, sums[t]);
      } else {
        StoreElements<64>(finish, dynamic_shared_memory + args.staging_at + group * 8192, group, 0,
                          sums[t]);
      }
    }
  }

 private:
  /// Starts the products of a tile for a warpgroup's taps.
  GRIDWISE_DEVICE static void StartTile(float (&sums)[kTapsOfGroup][32], const HaloArgs& args,
                                        SharedAddress stage, int first_tap) {
    constexpr OperandOrder kLines = OperandOrder::kLinesPerK;
    constexpr int kStepBytes = 16 * 128;
    const int steps = args.tile_h * args.pitch / 16;
    MatrixDescriptor a = LinesPerK(stage + args.other_at);
    const int first = args.tap[first_tap].at;
    if constexpr (kC.merges_taps) {
      // The columns of the next tap are the same channels, some pixels further.
      MatrixDescriptor b = LinesPerK(stage + first, args.tap[first_tap + 1].at - first);
      auto& all = reinterpret_cast<float (&)[kTapsOfGroup * 32]>(sums);
      for (int step = 0; step < steps; ++step, a += kStepBytes / 16, b += kStepBytes / 16) {
        Wgmma<kTapsOfGroup * 64, kC.type, kLines, kLines>(all, a, b, 1);
      }
    } else {
      MatrixDescriptor b[kTapsOfGroup];
#pragma unroll
      for (int t = 0; t < kTapsOfGroup; ++t) b[t] = LinesPerK(stage + args.tap[first_tap + t].at);
      for (int step = 0; step < steps; ++step, a += kStepBytes / 16) {
#pragma unroll
        for (int t = 0; t < kTapsOfGroup; ++t, b[t - 1] += kStepBytes / 16) {
          Wgmma<64, kC.type, kLines, kLines>(sums[t], a, b[t], 1);
        }
      }
    }
  }
};

}  // namespace gridwise::hopper
