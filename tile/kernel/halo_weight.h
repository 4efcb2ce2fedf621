#pragma once

#include "core/arch/kernel_args.h"
#include "core/arch/sync.h"
#include "core/arch/this_target.h"
#include "core/launch/block_map.h"
#include "tile/epilogue/store_tile.h"
#include "tile/load/positions.h"
#include "tile/pipeline/multiply_blocks.h"

namespace gridwise::tile {

/// Where the tile's rows, output channels of several groups, and columns are: the taps and channels
/// of a row's own group.
template <TileConfig kC>
class PlaceOfBlocks {
 public:
  GRIDWISE_DEVICE PlaceOfBlocks(const BwdWeightArgs& args, int first_channel)
      : channels_(args.positions.channels), first_channel_(first_channel) {}

  GRIDWISE_DEVICE int columns() const { return kC.tile.n; }
  GRIDWISE_DEVICE const char* Base(const void* data, const OutputStrides&) const {
    return static_cast<const char*>(data);
  }
  GRIDWISE_DEVICE unsigned Row(const OutputStrides& strides, int row) const {
    // A matrix instruction has every other channel.
    constexpr int kBlock = TileConfig::kBlock, kRows = kC.mma.m, kPair = kBlock / kRows;
    const int of_block = row % kRows * kPair + row / kRows % kPair;
    const int channel = first_channel_ + row / kBlock * kBlock + of_block;
    const int group = channel / kChannels;
    return channel < channels_ ? static_cast<unsigned>(group * static_cast<int>(strides.group) +
                                                       (channel - group * kChannels) * strides.row)
                               : Buffer::kOutOfRange;
  }
  GRIDWISE_DEVICE int Column(const OutputStrides& strides, int column) const {
    const int tap = column / kChannels, row = tap / kTaps;
    return row * strides.axis[1] + (tap - row * kTaps) * strides.axis[2] +
           (column - tap * kChannels) * strides.column;
  }

 private:
  static constexpr int kChannels = kC.tile.m / kC.merge.groups, kTaps = kC.kTapsOfWave;

  const int channels_, first_channel_;
};

/// Backward weight (kernel/bwd_weight.h) of groups of 8, 16 or 32 channels through a filter of 3x3
/// that meets neighbouring cells: a workgroup has the channels of several groups, as a run of
/// memory, and LDS their cells of x and dy once for all taps. Cells of all images follow each other
/// (CellPositions), so that a tap is a distance, and x has a ring of LDS that holds those of the
/// first tap to those of the last. A wave sums a block of channels for a row of the filter; the
/// products of one group's channels with another's, which a block has too, are left.
template <TileConfig kC, Gfx kGfx>
GRIDWISE_DEVICE void HaloWeightTile() {
  GRIDWISE_LDS __attribute__((aligned(16))) char lds[kC.lds_bytes()];
  constexpr int kStep = kC.tile.k;

  const BwdWeightArgs& args = KernelArgs<BwdWeightArgs>();
  const WorkgroupOfGroups workgroup = WorkgroupAt(args.map, BlockIdX(), BlockIdY(), BlockIdZ());
  const GroupOfSlot slot = GroupAt(args.map, workgroup.number);
  const int split = slot.rest;
  const int first_channel = (workgroup.first_group + slot.group) * kC.tile.m;
  const int first_step = split * args.split_steps, left = args.steps - first_step;
  const int steps = left < args.split_steps ? left : args.split_steps;

  // The first steps load what lies before the first cell's last tap.
  const int reach = args.positions.pitch + 1;
  const int before = (2 * reach + kStep - 1) / kStep;
  const int first = first_step * kStep, dy = first - before * kStep;
  LoadPositions<kC, kGfx> load(args, first_channel, dy + reach, dy);
  const MultiplyBlocks<kC> multiply(args.positions, lds);
  PositionWalk at_dy;
  at_dy.Begin(args.positions, first);
  WaveAcc<kC> acc;  // [wave_m][wave_n]
  acc.Clear();
  int at = 0;
  load.Load();
  for (int step = -before; step < steps; ++step) {
    BarrierLds();  // the step before has been multiplied
    load.Store(lds, at);
    BarrierLoads<0>();  // so that the next ones, behind branches, are not held to wait for each
                        // other
    load.Load();
    SchedulingFence();  // loads are not put off among the matrix instructions
    if (step >= 0) multiply(at_dy, at, acc);
    at += kStep;
    at -= at >= kC.halo.cells ? kC.halo.cells : 0;
  }

  const BwdWeightArgs& args_anew = KernelArgsAnew<BwdWeightArgs>();
  BarrierLds();  // the operands have been read
  const PlaceOfBlocks<kC> place(args_anew, first_channel);
  StoreTile<kC, kGfx, PlaceOfBlocks<kC>>(args_anew.epilogue, args_anew.join, place, split, lds)
      .Store(acc);
}

}  // namespace gridwise::tile
