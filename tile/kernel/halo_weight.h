// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/kernel_args.h"
#include "core/arch/sync.h"
#include "core/arch/this_target.h"
#include "core/launch/block_map.h"
#include "tile/block_sums.h"
#include "tile/epilogue/store_tile.h"
#include "tile/lds_layout.h"
#include "tile/load/positions.h"
#include "tile/pipeline/multiply_blocks.h"
#include "tile/roles.h"

namespace gridwise::tile {

/// Where the tile's rows (output channels of several groups) and columns (taps and channels of a
/// row's own group) are.
template <TileConfig kC>
class BlockOutputMap {
 public:
  GRIDWISE_DEVICE BlockOutputMap(const BwdWeightArgs& args, int first_group)
      : args_(args), first_group_(first_group) {}

  GRIDWISE_DEVICE int columns() const { return args_.x.channels; }
  GRIDWISE_DEVICE int ColumnsOf(int part) const { return columns() - FirstChannel(part); }
  GRIDWISE_DEVICE const char* Base(const void* data, const OutputStrides&) const {
    return static_cast<const char*>(data);
  }
  GRIDWISE_DEVICE unsigned Row(const OutputStrides& strides, int row) const {
    // A matrix instruction has every other channel.
    constexpr int kBlock = TileConfig::kBlock, kRows = kC.mma.m, kPair = kBlock / kRows;
    const int of_block = row % kRows * kPair + row / kRows % kPair;
    const int row_of_copy = row / kBlock * kBlock + of_block;
    const int group = first_group_ + row_of_copy / kRoom, channel = row_of_copy % kRoom;
    return group < args_.positions.groups && channel < args_.dy.channels
               ? static_cast<unsigned>(group * static_cast<int>(strides.group) +
                                       channel * strides.row)
               : Buffer::kOutOfRange;
  }
  GRIDWISE_DEVICE int Column(const OutputStrides& strides, int column) const {
    const int part = column / kColumns, row = part / kTaps / kBlocks;
    return row * strides.axis[1] + part % kTaps * strides.axis[2] +
           (FirstChannel(part) + column % kColumns) * strides.column;
  }

 private:
  static constexpr int kRoom = BlockSums{kC}.room_of_group(),
                       kBlocks = BlockSums{kC}.blocks_of_group();
  static constexpr int kColumns = BlockSums{kC}.columns_of_tap(), kTaps = TileConfig::kTapsOfWave;

  /// Channels are those of a tap's columns in a wave.
  GRIDWISE_DEVICE static int FirstChannel(int part) { return part / kTaps % kBlocks * kColumns; }

  const BwdWeightArgs& args_;
  const int first_group_;
};

/// The steps of K that a workgroup sums.
struct StepsOfSplit {
  int first, count;

  GRIDWISE_DEVICE StepsOfSplit(const BwdWeightArgs& args, int split)
      : first(split * args.split_steps),
        count(args.steps - first < args.split_steps ? args.steps - first : args.split_steps) {}
};

/// acc = the sums of these steps; see MultiplyBlocks::Step for masks.
template <TileConfig kC, Gfx kGfx, bool kMasked>
GRIDWISE_DEVICE void SumSteps(const BwdWeightArgs& args, int first_group, StepsOfSplit steps,
                              char* lds, WaveAcc<kC>& acc) {
  constexpr int kStep = kC.tile.k;
  // Whole steps that the ring holds before the first one: dy is loaded from the first tap's pixel
  // on.
  const int front = args.positions.pitch + 1;
  constexpr int kAdjacent = BlockSums{kC}.adjacent_pixels();
  const int before = AlignUp(kAdjacent * front, kStep);
  const int first = steps.first * kStep - front;  // the first images' dy meets padding there
  LoadPositions<kC, kGfx> load(args, first_group, first, first + front);
  load.Load();
  load.FillRing(args, first_group, first + front - before, before, lds);
  const MultiplyBlocks<kC> multiply(args.positions, lds);
  PositionWalk dy_walk = multiply.BeginWalk(args.positions, first);
  acc.Clear();
  int at = before;
  for (int step = 0; step < steps.count; ++step) {
    BarrierLds();  // the previous step has been multiplied
    load.Store(lds, at);
    BarrierLoads<0>();  // otherwise the next loads, which follow branches, would wait for each
                        // other
    load.Load();
    SchedulingFence();  // loads are not delayed into the matrix instructions
    multiply.template Step<kMasked>(dy_walk, at, acc);
    at += kStep;
    at -= at >= kC.halo ? kC.halo : 0;
  }
  BarrierLds();  // the operands have been read
}

/// Whether all sums of all waves of the workgroup are finite.
template <TileConfig kC>
GRIDWISE_DEVICE bool AreFinite(const WaveAcc<kC>& acc, char* lds) {
  float zero = 0;
  for (const auto& row : acc.d) {
    for (const auto& each : row) {
      for (int i = 0; i < kC.mma.acc_per_lane(); ++i) zero += 0 * each[i];
    }
  }
  constexpr int kWaves = kC.threads() / kC.mma.lanes();
  bool* const of_wave = reinterpret_cast<bool*>(lds);
  of_wave[WaveOfWorkgroup<kC>()] = !AnyLane(zero != 0);
  BarrierLds();
  bool all = true;
  for (int wave = 0; wave < kWaves; ++wave) all &= of_wave[wave];
  BarrierLds();
  return Uniform(all);
}

/// Backward weight (kernel/bwd_weight.h) for groups of at most 64 channels and a filter of 3x3 that
/// meets adjacent pixels, or every other one with stride 2. A workgroup has the channels of one or
/// several groups, each with room for 8, 16, 32 or 64 channels, of which the last may be zeros. LDS
/// has their pixels of x and dy once for all taps. Pixels of all images follow each other
/// (PixelPositions), so a tap is a distance. A ring in LDS holds the dy of the first tap to the
/// last. A wave sums a block of 32 channels of each for a row of the filter; products of channels
/// of different groups, which a block also has, are dropped.
template <TileConfig kC, Gfx kGfx>
GRIDWISE_DEVICE void HaloWeightTile() {
  GRIDWISE_LDS __attribute__((aligned(16))) char lds[LdsLayout{kC}.bytes()];

  const BwdWeightArgs& args = KernelArgs<BwdWeightArgs>();
  const WorkgroupOfGroups workgroup = WorkgroupAt(args.map, BlockIdX(), BlockIdY(), BlockIdZ());
  const GroupOfSlot slot = GroupAt(args.map, workgroup.number);
  const int split = slot.rest;
  const int first_group = (workgroup.first_group + slot.group) * kC.merge;
  const StepsOfSplit steps(args, split);
  WaveAcc<kC> acc;  // [wave_m][wave_n]
  SumSteps<kC, kGfx, /*kMasked=*/false>(args, first_group, steps, lds, acc);
  // If an x that is infinite or NaN is next to a position that is no pixel.
  if (!AreFinite(acc, lds)) {
    SumSteps<kC, kGfx, /*kMasked=*/true>(args, first_group, steps, lds, acc);
  }

  const BwdWeightArgs& reloaded_args = ReloadedKernelArgs<BwdWeightArgs>();
  const BlockOutputMap<kC> output(reloaded_args, first_group);
  StoreTile<kC, kGfx, BlockOutputMap<kC>>(reloaded_args.epilogue, reloaded_args.fixup, output,
                                          split, lds)
      .Store(acc);
}

}  // namespace gridwise::tile
