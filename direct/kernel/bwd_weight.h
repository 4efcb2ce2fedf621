// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/kernel_args.h"
#include "core/arch/sync.h"
#include "core/arch/this_target.h"
#include "core/launch/output_type.h"
#include "direct/kernel/weight_lane.h"

namespace gridwise::direct {

/// The work of a workgroup: a group of taps and a tile of lanes, over the pixels of a split.
struct DirectPart {
  int taps, lanes, split;
};

/// Workgroups of a split read the same pixels: they run on one XCD, one after the other.
GRIDWISE_DEVICE DirectPart PartOf(const DirectWeightArgs& args, int workgroup) {
  const int slot = SlotOf(args.xcds, workgroup, args.workgroups);
  const int by_taps = Divide(slot, args.by_tap_groups);
  const int split = Divide(by_taps, args.by_lane_tiles);
  return {.taps = slot - by_taps * args.tap_groups,
          .lanes = by_taps - split * args.lane_tiles,
          .split = split};
}

/// Writes the sums of a row of taps, over all waves and the images that lanes have, in a fixed
/// order. `sums` is [waves][sums of a lane][lanes].
template <DirectConfig kC, Gfx kGfx, int kWaves, int kSums, int kLanes>
GRIDWISE_DEVICE void StoreTapRow(const DirectWeightArgs& args, const DirectTaps& taps,
                                 int first_pair, int split,
                                 const float (&sums)[kWaves][kSums][kLanes]) {
  const int image_lanes = args.lane_images > 1 ? args.pairs / kC.channels : kLanes;
  const Buffer dw =
      Buffer::From<kGfx>(static_cast<const char*>(args.dw.data) + split * args.split_bytes);
  for (int i = ThreadId(); i < kSums * kLanes; i += kWaves * kLanes) {
    const int slot = i / kLanes, lane = i % kLanes;
    float sum = 0;
    if (lane < image_lanes) {
      for (int image = 0; image < args.lane_images; ++image) {
        for (int w = 0; w < kWaves; ++w) sum += sums[w][slot][lane + image * image_lanes];
      }
    }
    const int pair = first_pair + lane * kC.channels + slot % kC.channels;
    const int tap_w = taps.w + slot / kC.channels;
    const int k = Divide(pair, args.by_c), group = Divide(k, args.by_k);
    const int tap = (taps.d * args.filter[1] + taps.h) * args.filter[2] + tap_w;
    const unsigned offset =
        OffsetIf(lane < image_lanes && pair < args.pairs && tap_w < args.filter[2],
                 group * args.dw.group + (k - group * args.k) * args.dw.k + tap * args.dw.tap +
                     (pair - k * args.c) * args.dw.c);
    WithFloatOutput<kC.type>(
        args.out_type, [&]<DataType kOut>() { dw.Store(static_cast<Element<kOut>>(sum), offset); });
  }
}

/// Backward-weight of a convolution whose groups have few channels. A workgroup has a block of
/// filter taps and pairs (k, c), one per lane. Its waves share the output pixels and add up their
/// sums in a fixed order. Every element of dw is written exactly once.
template <DirectConfig kC, Gfx kGfx>
GRIDWISE_DEVICE void DirectWeightTile(const DirectWeightArgs& args) {
  static_assert(kGfx == kThisTarget, "the row and the object are for different targets");
  static_assert(Reject(kC, kGfx) == nullptr, "the instance does not suit the target");
  constexpr int kLanes = TraitsOf(kGfx).wave_size, kWaves = kDirectWeightWaves;
  constexpr int kSums = kC.taps * kC.channels, kRows = kC.rows_of_lane();
  GRIDWISE_LDS float sums[kWaves][kSums][kLanes];
  const DirectPart part = PartOf(args, BlockIdX());
  const int by_w = Divide(part.taps, args.by_tap_groups_w);
  const int tap_d = Divide(by_w, args.by_tap_groups_h);
  const int groups_h = CeilDiv(args.filter[1], kRows);
  const DirectTaps taps = {.d = tap_d,
                           .h = (by_w - tap_d * groups_h) * kRows,
                           .w = (part.taps - by_w * args.tap_groups_w) * kC.taps};
  const int first_pair = part.lanes * kLanes * kC.channels;
  const int wave = WaveOfGroup<kGfx>(), lane_id = LaneOfWave<kGfx>();

  DirectWeightLane<kC, kGfx> lane(args, taps, first_pair + lane_id * kC.channels);
  const int first_step = (part.split * kWaves + wave) * args.wave_steps;
  lane.FindSpoiled(first_step, args.wave_steps);
  lane.AddSteps(first_step, args.wave_steps);
#pragma unroll  // sums are in registers, which cannot be indexed
  for (int row = 0; row < kRows; ++row) {
    if (taps.h + row >= args.filter[1]) break;
    if (row > 0) BarrierLds();  // all waves have read the previous ones
#pragma unroll
    for (int s = 0; s < kSums; ++s) {
      sums[wave][s][lane_id] = lane.Sum(row, s / kC.channels, s % kC.channels);
    }
    BarrierLds();
    StoreTapRow<kC, kGfx>(args, {taps.d, taps.h + row, taps.w}, first_pair, part.split, sums);
  }
}

}  // namespace gridwise::direct
