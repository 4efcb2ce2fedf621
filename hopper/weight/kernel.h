// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/kernel/cluster.h"
#include "hopper/kernel/multiply_parts.h"
#include "hopper/kernel/multiply_transposed.h"
#include "hopper/kernel/roles.h"
#include "hopper/kernel/store.h"
#include "hopper/weight/args.h"
#include "hopper/weight/lane_pixels.h"
#include "hopper/weight/output_map.h"
#include "hopper/weight/tile.h"

/// Backward-weight: rows are output channels k, columns blocks of input channels c at a filter tap
/// (Config::block_columns), K the output pixels of all images. Both operands lie along rows and
/// columns in memory, pixel after pixel, and the tensor core reads them transposed; of tf32 it
/// cannot, see hopper/kernel/multiply_transposed.h. There x may be A, and dy B: rows and columns
/// change places. x is loaded through TMA's im2col mode, a k tile of pixels of a block's channels
/// moved by the tap. Channels of other groups that a tile reaches make separate rows and columns,
/// which are not stored.

namespace gridwise::hopper {

GRIDWISE_DEVICE int Move(int moves, int axis) { return moves >> (8 * axis) & 255; }

/// The boxes of channels of x of a tile: where they begin, and their taps' moves, 8 bits per axis,
/// since the producer has few registers.
template <Config kC>
struct BoxesOfX {
  static constexpr int kBoxes = kXBlocks<kC> * kBoxesOfBlock<kC>;
  int channel[kBoxes], moves[kBoxes];

  GRIDWISE_DEVICE BoxesOfX(const WeightArgs& args, const WeightTileAt& tile) {
#pragma unroll
    for (int b = 0; b < kBoxes; ++b) {
      const WeightBlock<kC> block(args, tile.block + b / kBoxesOfBlock<kC>);
      channel[b] =
          tile.group * args.x_channels + block.channel + b % kBoxesOfBlock<kC> * kC.box_columns();
      moves[b] = 0;
#pragma unroll
      for (int axis = 0; axis < 3; ++axis) {
        moves[b] |= block.t[axis] * args.strides[axis].tap_source_stride << (8 * axis);
      }
    }
  }
  /// The number of boxes that exist.
  GRIDWISE_DEVICE int Count(const WeightArgs& args, const WeightTileAt& tile, int taps) const {
    if constexpr (kBoxesOfBlock<kC> > 1) {
      const int rest = args.c - WeightBlock<kC>(args, tile.block).channel;
      return Min(kBoxes, (rest + kC.box_columns() - 1) / kC.box_columns());
    }
    return Min(kBoxes, taps * args.c_blocks - tile.block);
  }
};

/// Starts to load the first `count` boxes of x, for the pixels that begin at `at`.
template <Config kC>
GRIDWISE_DEVICE void LoadBoxes(const WeightArgs& args, const KTileRing<kC>& ring,
                               const BoxesOfX<kC>& boxes, PixelAt at, int count, int box_bytes) {
#pragma unroll
  for (int b = 0; b < boxes.kBoxes; ++b) {
    if (b >= count) break;
#pragma unroll
    for (int part = 0; part < kC.parts(); ++part) {
      const SharedAddress to =
          (kC.x_is_a ? ring.a() : ring.b(0)) + part * kC.b_part_bytes() + b * box_bytes;
      if (args.is_3d) {
        LoadPixels5(to, args.x[part], ring.full(), boxes.channel[b], at, Move(boxes.moves[b], 2),
                    Move(boxes.moves[b], 1), Move(boxes.moves[b], 0));
      } else {
        LoadPixels4(to, args.x[part], ring.full(), boxes.channel[b], at, Move(boxes.moves[b], 2),
                    Move(boxes.moves[b], 1));
      }
    }
  }
}

template <Config kC>
GRIDWISE_DEVICE void ProduceWeight(const WeightArgs& args, SharedAddress base) {
  // Boxes have lines of 128 bytes: channels of x, in one part of B; or 64 of dy, 32 in f32 and
  // tf32.
  constexpr int kBoxBytes = kC.k_tile * 128, kOfBox = 128 / SizeOf(kC.type);
  constexpr int kBoxes = (kC.x_is_a ? kC.b_columns() : kC.lanes ? 0 : kC.rows()) / kOfBox;
  KTileRing<kC> ring(base);
  const int taps = Taps(args.gemm);
  for (int i = BlockIdX(); i < args.tiles * args.groups; i += GridSizeX()) {
    const WeightTileAt tile = FindTile<kC>(args, i);
    const BoxesOfX<kC> of_x(args, tile);
    const int first_k = tile.group * args.dy_channels + tile.k;
    const int of_group = args.dy_channels > 0 ? 0 : tile.group;
    const int rest = args.k - tile.k;
    // Boxes of rows or columns that do not exist are not loaded: results from the data left there
    // are not stored.
    const int dy_boxes = Min(kBoxes, (rest + kOfBox - 1) / kOfBox);
    const int x_boxes = of_x.Count(args, tile, taps);
    const LaneKTile<kC.k_tile> by_lanes(kC.lanes ? Min(rest, 64) / 4 : 1, args.dy_pitch);
    const char* const rows = static_cast<const char*>(args.dy_data) + tile.k * 2;
    for (int k_tile = tile.first; k_tile < tile.end; ++k_tile, ring.Next()) {
      const PhasePixel pixel = PixelOfRow(args.gemm, k_tile * kC.k_tile);
      const PixelAt at = SourceOf(args.gemm, args.strides, pixel);
      ring.WaitEmpty();
      if constexpr (kC.lanes) {
        const int first = k_tile * kC.k_tile;
        by_lanes.Load(ring.a(), rows + static_cast<long>(first) * args.dy_pitch,
                      args.dy_pixels - first);
        ring.full().ArriveWhenLoaded();
        if (WarpId() % 4 != 0) continue;
      }
      if (!IsElected()) continue;
      ring.full().ArriveAndExpect((dy_boxes + x_boxes * kC.parts()) * kBoxBytes);
#pragma unroll
      for (int b = 0; b < kBoxes; ++b) {
        if (b >= dy_boxes) break;
        LoadBox((kC.x_is_a ? ring.b(0) : ring.a()) + b * kBoxBytes, args.dy, ring.full(),
                first_k + b * kOfBox, k_tile * kC.k_tile, of_group);
      }
      LoadBoxes<kC>(args, ring, of_x, at, x_boxes, kBoxBytes);
    }
  }
}

template <Config kC>
GRIDWISE_DEVICE void ConsumeWeight(const WeightArgs& args, SharedAddress base) {
  const int group = WarpgroupId();
  const int staging = kC.staging_at() + group * kC.buffers() * kC.buffer_bytes();
  KTileRing<kC> ring(base);
  for (int i = BlockIdX(); i < args.tiles * args.groups; i += GridSizeX()) {
    const WeightTileAt tile = FindTile<kC>(args, i);
    const WeightOutputMap<kC> output = {args, tile};
    const Finisher<WeightOutputMap<kC>, Element<kC.type>> finish(args.epilogue, output,
                                                                 args.in_cluster ? 0 : tile.split);
    const int row = group * kC.reps * 64;
    if (tile.steps() == 0) {
      StoreZeros<kC.columns, kC.type, kC.reps>(finish, args.stores, dynamic_shared_memory + staging,
                                               group, row);
      continue;
    }
    Sums<kC> sums;
    if constexpr (kC.has_parts()) {
      MultiplyParts(sums, ring, tile.steps(), group);
    } else if constexpr (kC.transposes_b()) {
      MultiplyTransposed(sums, ring, tile.steps(), group);
    } else {
      MultiplyKTiles(sums, ring, {tile.steps()}, group, /*is_last=*/true, [] {});
    }
    if constexpr (kC.has_clusters()) {
      if (args.in_cluster) {
        StoreOfCluster<kC>(finish, args.stores, args.splits, ring, staging, group, row, sums);
        return;  // a workgroup of a cluster has a single tile
      }
    }
#pragma unroll
    for (int rep = 0; rep < kC.reps; ++rep) {
      const Stores stores = StoresOfSums<kC>(args.stores, group, sums.d[rep]);
      StoreByLanes<kC.columns, kC.type>(finish, stores, dynamic_shared_memory + staging, group,
                                        row + rep * 64, sums.d[rep]);
    }
  }
}

template <Config kC>
struct WeightRoles {
  static constexpr int kProducers = kC.lanes ? 4 : 1;

  GRIDWISE_DEVICE static void Init(const WeightArgs& args, SharedAddress base) {
    Prefetch(args.dy);
    Prefetch(args.x[0]);
    const KTileRing<kC> ring(base);
    if constexpr (kC.has_clusters()) ring.exchanged().Init(1);
    if constexpr (kC.transposes_b()) {
      for (int i = 0; i < kC.stages; ++i) ring.TransposedAt(i).Init(4 * kC.consumers);
    }
    ring.Init(4 * kC.tile_consumers(), kC.lanes ? 32 * kProducers + 1 : 1);  // one lane per warp
  }
  GRIDWISE_DEVICE static void Produce(const WeightArgs& args, SharedAddress base) {
    ProduceWeight<kC>(args, base);
  }
  GRIDWISE_DEVICE static void Consume(const WeightArgs& args, SharedAddress base) {
    ConsumeWeight<kC>(args, base);
  }
};

}  // namespace gridwise::hopper
