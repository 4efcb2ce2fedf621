#pragma once

#include "core/arch/this_target.h"
#include "core/launch/find_sub_gemm.h"
#include "direct/kernel/gather_lane.h"

namespace gridwise::direct {

/// Taps that are added up at a time, at most: along d and h, and groups of them along w.
struct BlockShape {
  int d, h, groups_w;
};
template <DirectConfig kC>
GRIDWISE_DEVICE BlockShape ShapeOfBlock(const DirectGatherArgs& args) {
  if constexpr (!kC.keeps_weights()) return {.d = 1, .h = 1 << 24, .groups_w = 1};
  return {.d = args.block[0], .h = args.block[1], .groups_w = args.block[2]};
}

/// The block of taps from the given ones on.
template <DirectConfig kC>
GRIDWISE_DEVICE TapBlock BlockAt(const BlockShape& shape, const SubGemm& gemm, int tap_d, int tap_h,
                                 int tap_w) {
  const auto& [d, h, w] = gemm.axis;
  const auto fewer = [](int a, int b) { return a < b ? a : b; };
  TapBlock block = {.d = tap_d,
                    .h = tap_h,
                    .w = tap_w,
                    .count_d = 1,
                    .count_h = fewer(shape.h, h.taps - tap_h),
                    .groups_w = 1,
                    .channel = 0};
  if constexpr (kC.keeps_weights()) {
    block.count_d = fewer(shape.d, d.taps - tap_d);
    block.groups_w = fewer(shape.groups_w, CeilDiv(w.taps - tap_w, kC.taps));
  }
  return block;
}

/// Computes the i-th of a wave's runs, of lanes from `first_item` on. Scalar registers have no room
/// for arguments and the sub-GEMM from one run to the next.
template <DirectConfig kC, Gfx kGfx>
GRIDWISE_DEVICE void ComputeRun(const DirectGatherArgs& of_kernel, int tile, int first_item, int i,
                                int runs, char* lds) {
  const DirectGatherArgs& args = Anew(of_kernel);
  const SubGemm gemm = FindSubGemm(args, tile);
  const auto& [d, h, w] = gemm.axis;
  const int of_gemm = (tile - gemm.first_tile) * runs + i;
  const int index = of_gemm * kDirectGatherWaves + WaveOfGroup<kGfx>();
  const bool exists = index < gemm.m;
  if (!kC.keeps_weights() && !exists) return;
  const DirectRun run = RunAt<kC>(args, gemm, exists ? index : 0);
  DirectGatherLane<kC, kGfx> lane(args, run,
                                  ItemOf(args, first_item + LaneOfWave<kGfx>() * kC.channels));
  DirectWeightsOf<kC, kGfx> weights(args, gemm, first_item);
  const BlockShape shape = ShapeOfBlock<kC>(args);
  const bool has_one = w.taps <= kC.taps * shape.groups_w && h.taps <= shape.h &&
                       d.taps <= shape.d && args.source_channels == 1 && args.splits == 1;
  int turn = BlockIdZ();
  for (int tap_w = 0; tap_w < w.taps; tap_w += kC.taps * shape.groups_w) {
    for (int tap_d = 0; tap_d < d.taps; tap_d += shape.d) {
      for (int tap_h = 0; tap_h < h.taps; tap_h += shape.h) {
        TapBlock block = BlockAt<kC>(shape, gemm, tap_d, tap_h, tap_w);
        for (; block.channel < args.source_channels; ++block.channel) {
          const bool is_mine = turn == 0;
          turn = (is_mine ? args.splits : turn) - 1;
          if (!is_mine) continue;
          if (i == 0 || !has_one) weights.Load(block, lds);
          if (exists) lane.AddTaps(block, weights, lds);
        }
      }
    }
  }
  if (exists) lane.Store(Anew(of_kernel));
}

/// Forward and backward-data of a convolution whose groups have few channels, as sub-GEMMs (see
/// core/conv/gemm_map.h) without a GEMM: workgroups take runs of output cells, some for each
/// wave, and channels of images, a lane each, and along z splits, which take turns at blocks of
/// taps. Every element of the output, or of a split's sums, is written exactly once.
template <DirectConfig kC, Gfx kGfx>
GRIDWISE_DEVICE void DirectGatherTile(const DirectGatherArgs& args) {
  static_assert(kGfx == kThisTarget, "the row and the object are for different targets");
  static_assert(Reject(kC, kGfx) == nullptr, "the row does not suit the target");
  GRIDWISE_LDS __attribute__((aligned(16))) char lds[DirectWeightsOf<kC, kGfx>::kBytes];
  const int number = BlockIdY() * args.tiles + BlockIdX();
  const int slot = SlotOf(args.map.of_launch, number, args.map.slots);
  const int tile = Divide(slot, args.by_lane_tiles);
  const int lanes = TraitsOf(kGfx).wave_size * kC.channels;
  const int first_item = (slot - tile * args.lane_tiles) * lanes;
  const int runs = kC.keeps_weights() ? args.runs : 1;
  for (int i = 0; i < runs; ++i) ComputeRun<kC, kGfx>(args, tile, first_item, i, runs, lds);
}

}  // namespace gridwise::direct
