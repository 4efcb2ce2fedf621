// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/this_target.h"
#include "core/launch/find_sub_gemm.h"
#include "direct/kernel/gather_lane.h"
#include "direct/kernel/padding.h"

namespace gridwise::direct {

/// Maximum number of taps that are added up at a time: along d and h, and groups of taps along w.
struct BlockShape {
  int d, h, groups_w;
};
template <DirectConfig kC>
GRIDWISE_DEVICE BlockShape ShapeOfBlock(const DirectGatherArgs& args) {
  if constexpr (!kC.has_resident_weights()) return {.d = 1, .h = 1 << 24, .groups_w = 1};
  return {.d = args.block[0], .h = args.block[1], .groups_w = args.block[2]};
}

/// Whether all taps of the sub-GEMM are added up at once.
template <DirectConfig kC>
GRIDWISE_DEVICE bool HasOneBlock(const DirectGatherArgs& args, const SubGemm& gemm) {
  const BlockShape shape = ShapeOfBlock<kC>(args);
  const auto& [d, h, w] = gemm.axis;
  return w.taps <= kC.taps * shape.groups_w && h.taps <= shape.h && d.taps <= shape.d &&
         args.source_channels == 1 && args.splits == 1;
}

/// The block of taps that begins at the given ones.
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
  if constexpr (kC.has_resident_weights()) {
    block.count_d = fewer(shape.d, d.taps - tap_d);
    block.groups_w = fewer(shape.groups_w, CeilDiv(w.taps - tap_w, kC.taps));
  }
  return block;
}

/// The work of a wave: consecutive runs of a tile, for lanes from `first_item` on.
struct RunsOfWave {
  int tile, first_item, runs;
};
template <DirectConfig kC, Gfx kGfx>
GRIDWISE_DEVICE RunsOfWave FindRuns(const DirectGatherArgs& args) {
  const int number = BlockIdY() * args.tiles + BlockIdX();
  const int slot = SlotOf(args.map.of_launch, number, args.map.slots);
  const int tile = Divide(slot, args.by_lane_tiles);
  const int lanes = TraitsOf(kGfx).wave_size * kC.channels;
  return {.tile = tile,
          .first_item = (slot - tile * args.lane_tiles) * lanes,
          .runs = kC.has_resident_weights() ? args.runs : 1};
}

/// The number of the wave's i-th run in a sub-GEMM, which may have fewer.
template <Gfx kGfx>
GRIDWISE_DEVICE int IndexOfRun(const SubGemm& gemm, const RunsOfWave& of_wave, int i) {
  const int of_gemm = (of_wave.tile - gemm.first_tile) * of_wave.runs + i;
  return of_gemm * kDirectGatherWaves + WaveOfGroup<kGfx>();
}

/// Computes the i-th of a wave's runs, for lanes from `first_item` on. Reloads arguments and the
/// sub-GEMM for each run, because scalar registers have no room for them.
template <DirectConfig kC, Gfx kGfx>
GRIDWISE_DEVICE void ComputeRun(const DirectGatherArgs& of_kernel, const RunsOfWave& of_wave, int i,
                                char* lds) {
  const DirectGatherArgs& args = Reloaded(of_kernel);
  const SubGemm gemm = FindSubGemm(args, of_wave.tile);
  const auto& [d, h, w] = gemm.axis;
  const int index = IndexOfRun<kGfx>(gemm, of_wave, i);
  const bool exists = index < gemm.m;
  if (!kC.has_resident_weights() && !exists) return;
  const DirectRun run = RunAt<kC>(args, gemm, exists ? index : 0);
  DirectGatherLane<kC, kGfx> lane(
      args, run, ItemOf(args, of_wave.first_item + LaneOfWave<kGfx>() * kC.channels));
  DirectWeightsOf<kC, kGfx> weights(args, gemm, of_wave.first_item);
  const BlockShape shape = ShapeOfBlock<kC>(args);
  const bool has_one = HasOneBlock<kC>(args, gemm);
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
  if (exists) lane.Store(Reloaded(of_kernel));
}

/// Makes NaN of elements of the i-th run, already stored, that padding spoils; see padding.h.
/// Called after all runs, so that no register keeps its operands through a main loop.
template <DirectConfig kC, Gfx kGfx>
GRIDWISE_DEVICE void SpoilRun(const DirectGatherArgs& of_kernel, const RunsOfWave& of_wave, int i,
                              const char* lds) {
  const DirectGatherArgs& args = Reloaded(of_kernel);
  const SubGemm gemm = FindSubGemm(args, of_wave.tile);
  const int index = IndexOfRun<kGfx>(gemm, of_wave, i);
  if (index >= gemm.m) return;
  const DirectRun run = RunAt<kC>(args, gemm, index);
  if (!MeetsPadding<kC>(args, run)) return;
  const LaneItem item = ItemOf(args, of_wave.first_item + LaneOfWave<kGfx>() * kC.channels);
  const bool in_lds = kC.has_resident_weights() && HasOneBlock<kC>(args, gemm);
  StoredRun<kC, kGfx>(args, run, item).Spoil(of_wave.first_item, in_lds ? lds : nullptr);
}

/// Forward and backward-data of a convolution whose groups have few channels, as sub-GEMMs (see
/// core/conv/gemm_map.h) without a GEMM. A workgroup takes runs of output pixels, some for each
/// wave, and channels of images, one per lane. Along z, splits take turns at blocks of taps. Every
/// element of the output, or of a split's sums, is written exactly once.
template <DirectConfig kC, Gfx kGfx>
GRIDWISE_DEVICE void DirectGatherTile(const DirectGatherArgs& args) {
  static_assert(kGfx == kThisTarget, "the row and the object are for different targets");
  static_assert(Reject(kC, kGfx) == nullptr, "the instance does not suit the target");
  GRIDWISE_LDS __attribute__((aligned(16))) char lds[DirectWeightsOf<kC, kGfx>::kBytes];
  const RunsOfWave of_wave = FindRuns<kC, kGfx>(args);
  for (int i = 0; i < of_wave.runs; ++i) ComputeRun<kC, kGfx>(args, of_wave, i, lds);
  if constexpr (SumType(kC.type) == DataType::kF32) {
    const RunsOfWave reloaded = FindRuns<kC, kGfx>(Reloaded(args));
    for (int i = 0; i < reloaded.runs; ++i) SpoilRun<kC, kGfx>(args, reloaded, i, lds);
  }
}

}  // namespace gridwise::direct
