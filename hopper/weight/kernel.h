// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/kernel/cluster.h"
#include "hopper/kernel/multiply_parts.h"
#include "hopper/kernel/roles.h"
#include "hopper/kernel/store.h"
#include "hopper/weight/args.h"
#include "hopper/weight/lane_pixels.h"

/// Backward-weight: rows are output channels k, columns blocks of 64 input channels c at a filter
/// tap, K the output pixels of all images. Both operands lie along rows and columns in memory,
/// pixel after pixel, and the tensor core reads them transposed. x is loaded through TMA's im2col
/// mode, 64 pixels of 64 channels moved by the tap. Channels of other groups that a tile reaches
/// make separate rows and columns, which are not stored.

namespace gridwise::hopper {

/// A tile of dw in a group, and the part of K that a workgroup sums.
struct WeightTileAt {
  int group, split;
  int row, block;  // first row and block
  int first, end;  // k tiles

  GRIDWISE_DEVICE int steps() const { return end - first; }
};

template <Config kC>
GRIDWISE_DEVICE WeightTileAt FindTile(const WeightArgs& args, int tile) {
  const int group = Quotient(tile, args.by_tiles);
  tile -= group * args.tiles;
  // Tiles that run at the same time sum the same pixels, except in clusters.
  const int outer = Quotient(tile, args.by_adjacent), inner = tile - outer * args.adjacent;
  const int split = args.in_cluster ? inner : outer;
  tile = args.in_cluster ? outer : inner;
  const TileCoord coord = TileCoordOf(args.order, tile);
  const int first = split * args.k_tiles + (split < args.longer ? split : args.longer);
  return {.group = group,
          .split = split,
          .row = coord.row * kC.rows(),
          .block = coord.column * (kC.columns / 64),
          .first = first,
          .end = first + args.k_tiles + (split < args.longer ? 1 : 0)};
}

/// A filter tap and 64 channels; none if `tap` is past the last.
struct WeightBlock {
  int tap, t[3], channel;

  GRIDWISE_DEVICE WeightBlock(const WeightArgs& args, int block)
      : tap(Quotient(block, args.by_c_blocks)), channel((block - tap * args.c_blocks) * 64) {
    const int by_w = Quotient(tap, args.by_taps[1]);
    t[2] = tap - by_w * args.gemm.axis[2].taps;
    t[0] = Quotient(by_w, args.by_taps[0]);
    t[1] = by_w - t[0] * args.gemm.axis[1].taps;
  }
};

GRIDWISE_DEVICE int Move(int moves, int axis) { return moves >> (8 * axis) & 255; }

template <Config kC>
GRIDWISE_DEVICE void ProduceWeight(const WeightArgs& args, SharedAddress base) {
  // Blocks have lines of 128 bytes: 64 columns of one part of B; or 64 rows of A, 32 in f32.
  constexpr int kBlocks = kC.columns / 64, kBlockBytes = kC.k_tile * 128;
  constexpr int kRowsOfBlock = 128 / SizeOf(kC.type);
  KTileRing<kC> ring(base);
  const int taps = Taps(args.gemm);
  for (int i = BlockIdX(); i < args.tiles * args.groups; i += GridSizeX()) {
    const WeightTileAt tile = FindTile<kC>(args, i);
    int channel[kBlocks], moves[kBlocks];  // 8 bits per axis: the producer has few registers
#pragma unroll
    for (int b = 0; b < kBlocks; ++b) {
      const WeightBlock block(args, tile.block + b);
      channel[b] = tile.group * args.x_channels + block.channel;
      moves[b] = 0;
#pragma unroll
      for (int axis = 0; axis < 3; ++axis) {
        moves[b] |= block.t[axis] * args.strides[axis].tap_source_stride << (8 * axis);
      }
    }
    const int first_k = tile.group * args.dy_channels + tile.row;
    const int of_group = args.dy_channels > 0 ? 0 : tile.group;
    const int rest = args.k - tile.row;
    // Blocks of rows or columns that do not exist are not loaded: results from the data left there
    // are not stored.
    const int m_blocks =
        kC.lanes ? 0 : Min(kC.rows() / kRowsOfBlock, (rest + kRowsOfBlock - 1) / kRowsOfBlock);
    const int n_blocks = Min(kBlocks, taps * args.c_blocks - tile.block);
    const LaneKTile<kC.k_tile> by_lanes(kC.lanes ? Min(rest, 64) / 4 : 1, args.dy_pitch);
    const char* const rows = static_cast<const char*>(args.dy_data) + tile.row * 2;
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
      ring.full().ArriveAndExpect((m_blocks + n_blocks * kC.parts_of_b()) * kBlockBytes);
#pragma unroll
      for (int m = 0; m < (kC.lanes ? 0 : kC.rows() / kRowsOfBlock); ++m) {
        if (m >= m_blocks) break;
        LoadBox(ring.a() + m * kBlockBytes, args.dy, ring.full(), first_k + m * kRowsOfBlock,
                k_tile * kC.k_tile, of_group);
      }
#pragma unroll
      for (int b = 0; b < kBlocks; ++b) {
        if (b >= n_blocks) break;
#pragma unroll
        for (int part = 0; part < kC.parts_of_b(); ++part) {
          const SharedAddress to = ring.b(0) + part * kC.b_part_bytes() + b * kBlockBytes;
          if (args.is_3d) {
            LoadPixels5(to, args.x[part], ring.full(), channel[b], at, Move(moves[b], 2),
                        Move(moves[b], 1), Move(moves[b], 0));
          } else {
            LoadPixels4(to, args.x[part], ring.full(), channel[b], at, Move(moves[b], 2),
                        Move(moves[b], 1));
          }
        }
      }
    }
  }
}

/// Recomputes a sum from f32 itself, for row k and a channel of a block; stops if it becomes NaN.
template <Config kC>
GRIDWISE_DEVICE float SumExactly(const WeightArgs& args, const WeightTileAt& tile, int k,
                                 const WeightBlock& block, int channel) {
  const ExactArgs& exact = args.exact;
  const float* const dy = exact.other + static_cast<long>(tile.group) * exact.other_group +
                          static_cast<long>(k) * exact.other_out;
  int move[3];
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    move[axis] = block.t[axis] * args.strides[axis].tap_source_stride;
  }
  const int end = Min(args.dy_pixels, tile.end * kC.k_tile);
  float sum = 0;
#pragma clang loop unroll(disable)
  for (int pixel = tile.first * kC.k_tile; pixel < end && sum == sum; ++pixel) {
    const PixelAt at = SourceOf(args.gemm, args.strides, PixelOfRow(args.gemm, pixel));
    const float* const x = SourceOf(exact, at, move);  // null: zeros
    const float source =
        x == nullptr ? 0 : x[static_cast<long>(tile.group) * exact.source_group + channel];
    sum += dy[static_cast<long>(pixel) * exact.other_source] * source;
  }
  return sum;
}

/// Where rows and columns of a tile are in tensors of dw's shape, see Finisher.
template <Config kC>
struct WeightOutputMap {
  const WeightArgs& args;
  const WeightTileAt& tile;

  struct Row {
    bool is_there;
    int k;
  };
  GRIDWISE_DEVICE Row FindRow(int row) const {
    return {.is_there = tile.row + row < args.k, .k = tile.row + row};
  }
  /// The group, if a tile has several.
  GRIDWISE_DEVICE int GroupOf(const Row& row) const { return Quotient(row.k, args.by_of_group_k); }
  GRIDWISE_DEVICE long Bytes(const OutputStrides& strides, const Row& row) const {
    if constexpr (!kC.has_parts()) {
      return tile.group * strides.group + static_cast<long>(row.k) * strides.row;
    }
    const int group = GroupOf(row), groups = Quotient(args.k, args.by_of_group_k);
    return static_cast<long>(tile.group * groups + group) * strides.group +
           static_cast<long>(row.k - group * args.of_group_k) * strides.row;
  }
  GRIDWISE_DEVICE int Count(int column) const {
    const WeightBlock block(args, tile.block + column / 64);
    return block.tap < Taps(args.gemm) ? args.c - block.channel - column % 64 : 0;
  }
  GRIDWISE_DEVICE long Column(const OutputStrides& strides, int column) const {
    const WeightBlock block(args, tile.block + column / 64);
    int channel = block.channel + column % 64;
    if constexpr (kC.has_parts()) {
      channel -= Quotient(channel, args.by_of_group_c) * args.of_group_c;
    }
    long bytes = static_cast<long>(channel) * strides.column;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      bytes += static_cast<long>(block.t[axis]) * strides.axis[axis];
    }
    return bytes;
  }
  GRIDWISE_DEVICE bool Has(const Row& row, int column) const {
    if constexpr (!kC.has_parts()) return true;
    const WeightBlock block(args, tile.block + column / 64);
    return Quotient(block.channel + column % 64, args.by_of_group_c) == GroupOf(row);
  }
  GRIDWISE_DEVICE float Mend(float v, const Row& row, int column) const {
    if constexpr (kC.has_parts()) {
      const WeightBlock block(args, tile.block + column / 64);
      return SumExactly<kC>(args, tile, row.k, block, block.channel + column % 64);
    }
    return v;
  }
};

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
    } else {
      MultiplyKTiles(sums, ring, tile.steps(), group, /*is_last=*/true, [] {});
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
