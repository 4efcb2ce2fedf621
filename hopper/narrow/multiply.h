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

/// Adds the terms of a part of a tile, 16 pixels at a time. Pixels that do not exist are a line of
/// zeros. `taps` are pixels of the patch from a tile's pixel to its source.
template <NarrowWeightConfig kC>
GRIDWISE_DEVICE void MultiplyPixels(NarrowSums<kC>& sums, const HaloArgs& args,
                                    const int (&taps)[kC.taps()], const NarrowStage& stage,
                                    SharedAddress zeros, const HaloTileAt& tile, int part) {
  const int lane = ThreadId() % 32, pixels = args.tile_h * args.tile_w;
  const int piece_dy = stage.piece_dy + lane / 8 % 2, piece_x = stage.piece_x + lane / 8 % 2;
  int pixel = part * 16 + lane / 16 * 8 + lane % 8;
  NarrowPixels at(args.tile_w, pixel, kC.parts() * 16);
  SyncWarp();  // reconverges lanes: products need whole warps
#pragma clang loop unroll(disable)
  for (int first = part * 16; first < pixels;
       first += kC.parts() * 16, pixel += kC.parts() * 16, at.Next()) {
    const bool is_there =
        pixel < pixels && tile.h + at.h < args.out_h && tile.w + at.w < args.out_w;
    const int source = at.h * args.pitch + at.w;
    const Matrices4 a = LoadTransposed4(is_there ? PieceOf(stage.dy, pixel, piece_dy) : zeros);
    Matrices4 b[kC.taps()];  // all are in flight before the first is multiplied
#pragma unroll
    for (int tap = 0; tap < kC.taps(); ++tap) {
      b[tap] = LoadTransposed4(is_there ? PieceOf(stage.x, source + taps[tap], piece_x) : zeros);
    }
#pragma unroll
    for (int tap = 0; tap < kC.taps(); ++tap) {
      WarpMma<kC.type>(sums[tap][0], a, b[tap].part[0], b[tap].part[2]);
      WarpMma<kC.type>(sums[tap][1], a, b[tap].part[1], b[tap].part[3]);
    }
  }
}

/// Two rows of 8 pixels of x at each shift along w: operands B are row by row, and 8 channels each.
using NarrowRows = Matrices4[3];

/// Loads the rows from `pixel` of the patch on, which is this lane's.
GRIDWISE_DEVICE void LoadRows(NarrowRows& rows, const NarrowStage& stage, int pixel, int piece) {
#pragma unroll
  for (int s = 0; s < 3; ++s) rows[s] = LoadTransposed4(PieceOf(stage.x, pixel + s, piece));
}

/// The same, two rows of 8 pixels at a time. Rows of x that have been loaded serve all taps along
/// h. Pixels of dy that do not exist are zeros.
template <NarrowWeightConfig kC>
GRIDWISE_DEVICE void MultiplyRows(NarrowSums<kC>& sums, const HaloArgs& args,
                                  const NarrowStage& stage, int part) {
  const int lane = ThreadId() % 32, piece = lane / 8 % 2;
  const int strips = args.tile_w / kC.kWalkColumns;
  const int items = strips * ((args.tile_h + kC.kWalkRows - 1) / kC.kWalkRows);
#pragma clang loop unroll(disable)
  for (int i = part; i < items; i += kC.parts()) {
    const int chunk = i / strips, first = chunk * kC.kWalkRows;
    const int end = Min(first + kC.kWalkRows, args.tile_h);
    const int row = first + lane / 16, column = (i - chunk * strips) * kC.kWalkColumns + lane % 8;
    int x = row * args.pitch + column, dy = row * args.tile_w + column;
    SyncWarp();  // reconverges lanes: products need whole warps
    NarrowRows low, high;
    LoadRows(low, stage, x, stage.piece_x + piece);
#pragma clang loop unroll(disable)
    for (int h = first; h < end; h += 2) {
      x += 2 * args.pitch;
      LoadRows(high, stage, x, stage.piece_x + piece);
      const Matrices4 a = LoadTransposed4(PieceOf(stage.dy, dy, stage.piece_dy + piece));
      dy += 2 * args.tile_w;
#pragma unroll
      for (int s = 0; s < 3; ++s) {
#pragma unroll
        for (int j = 0; j < 2; ++j) {
          const unsigned of[4] = {low[s].part[j], low[s].part[2 + j], high[s].part[j],
                                  high[s].part[2 + j]};
#pragma unroll
          for (int r = 0; r < 3; ++r) WarpMma<kC.type>(sums[r * 3 + s][j], a, of[r], of[r + 1]);
        }
      }
#pragma unroll
      for (int s = 0; s < 3; ++s) low[s] = high[s];
    }
  }
}

}  // namespace gridwise::hopper
