// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/warp_mma.h"
#include "hopper/halo/tile.h"
#include "hopper/narrow/config.h"

/// Products of a tile in a stage of shared memory by one warp, see hopper/narrow/config.h.

namespace gridwise::hopper {

/// The address of 16 bytes of a pixel, for pixels that begin at `pixels`.
GRIDWISE_DEVICE SharedAddress PieceOf(SharedAddress pixels, int pixel, int piece) {
  return pixels + pixel * 128 + ((piece ^ (pixel & 7)) << 4);
}

/// Sums of a warp: for each tap two products of 16 channels of dy with 8 of x.
template <NarrowWeightConfig kC>
using NarrowSums = float[kC.taps()][2][4];

/// A tile in shared memory: its patch of x, its pixels of dy, and a warp's channels, in 16 bytes.
struct NarrowStage {
  SharedAddress x, dy;
  int piece_x, piece_dy;
};

/// Consecutive pixels of a tile, of which a lane visits every 32nd.
struct NarrowPixels {
  int h, w, line, step_h, step_w;

  GRIDWISE_DEVICE NarrowPixels(int line, int first, int step)
      : h(first / line), w(first % line), line(line), step_h(step / line), step_w(step % line) {}

  GRIDWISE_DEVICE void Next() {
    h += step_h;
    w += step_w;
    if (w >= line) w -= line, ++h;
  }
};

/// Which of 16 pixels a lane loads of a tile: operands B are then pairs of adjacent registers,
/// which the tensor core needs, for 8 channels each.
GRIDWISE_DEVICE int LanePixel() { return ThreadId() % 16; }
/// And which 8 of 16 channels.
GRIDWISE_DEVICE int LanePiece() { return ThreadId() % 32 / 16; }

/// Adds the products of 16 pixels of dy with 16 of x. Both are loaded as LanePixel says.
template <DataType kType>
GRIDWISE_DEVICE void MultiplyTap(float (&sums)[2][4], const Matrices4& dy, const Matrices4& x) {
  const Matrices4 a = {{dy.part[0], dy.part[2], dy.part[1], dy.part[3]}};
  WarpMma<kType>(sums[0], a, x.part[0], x.part[1]);
  WarpMma<kType>(sums[1], a, x.part[2], x.part[3]);
}

/// Adds the terms of a part of a tile, 16 pixels at a time. Pixels that do not exist are a line of
/// zeros. `taps` are pixels of the patch from a tile's pixel to its source.
template <NarrowWeightConfig kC>
GRIDWISE_DEVICE void MultiplyPixels(NarrowSums<kC>& sums, const HaloArgs& args,
                                    const int (&taps)[kC.taps()], const NarrowStage& stage,
                                    SharedAddress zeros, const HaloTileAt& tile, int part) {
  const int pixels = args.tile_h * args.tile_w;
  const int piece_dy = stage.piece_dy + LanePiece(), piece_x = stage.piece_x + LanePiece();
  int pixel = part * 16 + LanePixel();
  NarrowPixels at(args.tile_w, pixel, kC.parts() * 16);
  SyncWarp();  // reconverges lanes: products need whole warps
#pragma clang loop unroll(disable)
  for (int first = part * 16; first < pixels;
       first += kC.parts() * 16, pixel += kC.parts() * 16, at.Next()) {
    const bool is_there =
        pixel < pixels && tile.h + at.h < args.out_h && tile.w + at.w < args.out_w;
    const int source = at.h * args.pitch + at.w;
    const Matrices4 dy = LoadTransposed4(is_there ? PieceOf(stage.dy, pixel, piece_dy) : zeros);
    Matrices4 x[kC.taps()];  // all are in flight before the first is multiplied
#pragma unroll
    for (int tap = 0; tap < kC.taps(); ++tap) {
      x[tap] = LoadTransposed4(is_there ? PieceOf(stage.x, source + taps[tap], piece_x) : zeros);
    }
#pragma unroll
    for (int tap = 0; tap < kC.taps(); ++tap) MultiplyTap<kC.type>(sums[tap], dy, x[tap]);
  }
}

/// Two rows of 8 pixels of x at each shift along w.
using NarrowRows = Matrices4[3];

/// The addresses of a lane's pixels at each shift along w. Two rows further they are a multiple of
/// 8 pixels further, so that the same banks follow.
struct NarrowColumns {
  SharedAddress at[3];
  int line, flip;  // bytes to the next row, and the bit by which its banks differ

  GRIDWISE_DEVICE NarrowColumns(SharedAddress pixels, int pixel, int piece, int pitch)
      : line(pitch * 128), flip((pitch & 4) << 4) {
#pragma unroll
    for (int s = 0; s < 3; ++s) at[s] = PieceOf(pixels, pixel + s, piece);
  }
  GRIDWISE_DEVICE void Load(NarrowRows& rows) const {
#pragma unroll
    for (int s = 0; s < 3; ++s) rows[s] = LoadTransposed4(at[s]);
  }
  /// The rows one further.
  GRIDWISE_DEVICE void LoadNext(NarrowRows& rows) const {
#pragma unroll
    for (int s = 0; s < 3; ++s) rows[s] = LoadTransposed4((at[s] ^ flip) + line);
  }
  GRIDWISE_DEVICE void Move() {
#pragma unroll
    for (int s = 0; s < 3; ++s) at[s] += 2 * line;
  }
};

/// Adds the products of two rows of 8 pixels of dy with rows of x, of which the first two are `low`
/// and the last two become `high`. Pixels of dy that do not exist are zeros.
template <NarrowWeightConfig kC>
GRIDWISE_DEVICE void MultiplyTwoRows(NarrowSums<kC>& sums, const NarrowRows& low, NarrowRows& high,
                                     NarrowColumns& x, SharedAddress dy_at) {
  NarrowRows middle;
  x.LoadNext(middle);
  x.Move();
  x.Load(high);
  const Matrices4 dy = LoadTransposed4(dy_at);
#pragma unroll
  for (int s = 0; s < 3; ++s) {
    MultiplyTap<kC.type>(sums[s], dy, low[s]);
    MultiplyTap<kC.type>(sums[3 + s], dy, middle[s]);
    MultiplyTap<kC.type>(sums[6 + s], dy, high[s]);
  }
}

/// The same for an instance that walks rows, two at a time.
template <NarrowWeightConfig kC>
GRIDWISE_DEVICE void MultiplyRows(NarrowSums<kC>& sums, const HaloArgs& args,
                                  const NarrowStage& stage, int part) {
  const int piece_dy = stage.piece_dy + LanePiece(), piece_x = stage.piece_x + LanePiece();
  const int strips = args.tile_w / kC.kWalkColumns, two_lines = 2 * args.tile_w * 128;
  int first = 0;
#pragma clang loop unroll(disable)
  for (int strip = part;; strip += kC.parts()) {
    while (strip >= strips) strip -= strips, first += kC.kWalkRows;
    if (first >= args.tile_h) break;
    const int end = Min(first + kC.kWalkRows, args.tile_h);
    const int row = first + LanePixel() / 8, column = strip * kC.kWalkColumns + LanePixel() % 8;
    NarrowColumns x(stage.x, row * args.pitch + column, piece_x, args.pitch);
    SharedAddress dy = PieceOf(stage.dy, row * args.tile_w + column, piece_dy);
    SyncWarp();            // reconverges lanes: products need whole warps
    NarrowRows low, high;  // they change places: the last tap's rows are next the first's
    x.Load(low);
#pragma clang loop unroll(disable)
    for (int h = first; h < end; h += 4, dy += 2 * two_lines) {
      MultiplyTwoRows<kC>(sums, low, high, x, dy);
      if (h + 2 >= end) break;
      MultiplyTwoRows<kC>(sums, high, low, x, dy + two_lines);
    }
  }
}

}  // namespace gridwise::hopper
