#pragma once

#include "hopper/kernel/halo.h"

/// Backward-weight of groups of few channels, see hopper/halo.h: products of 64 channels of dy and
/// 64 of x at each tap, of which the blocks of the groups are kept. K is the cells of a tile,
/// counted by the patch's pitch; dy is zero in the columns that the tile does not have. Workgroups
/// of a block of channels share its tiles, and each is a split of K.
///
/// Those zeros times a NaN or an infinity of x are NaN, so sums that are NaN are computed again,
/// by one lane, from the cells that there are.

namespace gridwise::hopper {

template <DataType kType>
struct HaloWeightPlace {
  const HaloArgs& args;
  const HaloWork& work;
  const HaloTap& tap;

  struct Row {
    bool is_there;
    int k;
  };
  GRIDWISE_DEVICE int mask() const { return (1 << args.log_group) - 1; }
  GRIDWISE_DEVICE Row FindRow(int row) const {
    const int k = work.block * 64 + row;
    return {.is_there = k < args.channels, .k = k};
  }
  GRIDWISE_DEVICE long Bytes(const OutputStrides& strides, const Row& row) const {
    return (row.k >> args.log_group) * strides.group +
           static_cast<long>(row.k & mask()) * strides.row;
  }
  GRIDWISE_DEVICE int Count(int) const { return args.channels - work.block * 64; }
  GRIDWISE_DEVICE long Column(const OutputStrides& strides, int column) const {
    return static_cast<long>(tap.y) * strides.axis[1] + static_cast<long>(tap.x) * strides.axis[2] +
           static_cast<long>((work.block * 64 + column) & mask()) * strides.column;
  }
  GRIDWISE_DEVICE bool Has(const Row& row, int column) const {
    return (work.block * 64 + column) >> args.log_group == row.k >> args.log_group;
  }
  GRIDWISE_DEVICE float Mend(float, const Row& row, int column) const {
    using T = Element<kType>;
    const T* const dy = static_cast<const T*>(args.other_data) + row.k;
    float sum = 0;
#pragma clang loop unroll(disable)
    for (int i = work.first; i < work.tiles; i += work.step) {
      const HaloTileAt tile = FindHaloTile(args, i);
#pragma clang loop unroll(disable)
      for (int cell = 0; cell < args.tile_h * args.tile_w; ++cell) {
        const int h = tile.h + cell / args.tile_w, w = tile.w + cell % args.tile_w;
        if (h >= args.out_h || w >= args.out_w) continue;
        const T* const x = SourceOf<T>(args, tap, tile.image, h, w);
        const CellStrides& strides = args.other_stride_of;
        const long at = tile.image * strides.image + static_cast<long>(h) * strides.h +
                        static_cast<long>(w) * strides.w;
        const float source = x == nullptr ? 0 : static_cast<float>(x[work.block * 64 + column]);
        sum += static_cast<float>(dy[at]) * source;
      }
    }
    return sum;
  }
};

template <HaloWeightConfig kC>
struct HaloWeightRoles {
  static constexpr int kTapsOfGroup = HaloWeightConfig::kTaps / HaloWeightConfig::kGroups;

  /// Stages begin as zeros: what no load writes must be finite, and in dy zero.
  GRIDWISE_DEVICE static void Init(const HaloArgs& args, SharedAddress base) {
    if (ThreadId() == 0) HaloRing<kC.stages>(args, base).Init(4 * HaloWeightConfig::kGroups);
    for (int at = ThreadId() * 16; at < kC.stages * args.stage_bytes; at += kC.threads() * 16) {
      StoreZeros16(base + at);
    }
    FenceAsyncProxy();
  }

  GRIDWISE_DEVICE static void Produce(const HaloArgs& args, SharedAddress base) {
    const HaloWork work(args);
    Ring<kC.stages> ring = HaloRing<kC.stages>(args, base);
    const int line_bytes = args.tile_w * 128;
    for (int i = work.first; i < work.tiles; i += work.step, ring.Next()) {
      const HaloTileAt tile = FindHaloTile(args, i);
      ring.WaitEmpty();
      if (!IsElected()) continue;
      ring.full().ArriveAndExpect(args.planes * args.box_bytes + args.tile_h * line_bytes);
      LoadPatch(args, ring, work.block, tile);
      for (int h = 0; h < args.tile_h; ++h) {
        LoadBox(ring.at() + args.other_at + h * args.pitch * 128, args.other, ring.full(),
                work.block * 64, tile.w, tile.h + h, tile.image);
      }
    }
  }

  GRIDWISE_DEVICE static void Consume(const HaloArgs& args, SharedAddress base) {
    const HaloWork work(args);
    const int group = WarpgroupId(), first_tap = group * kTapsOfGroup;
    const int steps = args.tile_h * args.pitch / 16;
    float sums[kTapsOfGroup][32] = {};
    Ring<kC.stages> ring = HaloRing<kC.stages>(args, base);
    int last = -1;
    for (int i = work.first; i < work.tiles; i += work.step, ring.Next()) {
      ring.WaitFull();
      MatrixDescriptor a = LinesPerK(ring.at() + args.other_at), b[kTapsOfGroup];
#pragma unroll
      for (int t = 0; t < kTapsOfGroup; ++t)
        b[t] = LinesPerK(ring.at() + args.tap[first_tap + t].at);
      WgmmaFence();
      for (int step = 0; step < steps; ++step, a += 2048 / 16) {
#pragma unroll
        for (int t = 0; t < kTapsOfGroup; ++t, b[t - 1] += 2048 / 16) {
          Wgmma<64, kC.type, OperandOrder::kLinesPerK, OperandOrder::kLinesPerK>(sums[t], a, b[t],
                                                                                 1);
        }
      }
      WgmmaCommit();
      WgmmaWait<1>();
      if (last >= 0) ring.Release(last);
      last = ring.stage();
    }
    WgmmaWait<0>();
#pragma unroll
    for (int t = 0; t < kTapsOfGroup; ++t) {
      Touch(sums[t]);
      if (first_tap + t >= args.class_end[0]) continue;
      using Place = HaloWeightPlace<kC.type>;
      const Place place = {args, work, args.tap[first_tap + t]};
      const Finisher<Place, Element<kC.type>> finish(args.epilogue, place,
                                                     /*split=*/work.first);
      StoreElements<64>(finish, dynamic_shared_memory + args.staging_at + group * 8192, group, 0,
                        sums[t]);
    }
  }
};

}  // namespace gridwise::hopper
