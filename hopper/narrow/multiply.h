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

/// Which of 16 pixels, and which 8 of 16 channels, a lane loads: matrices of x in the order in
/// which operands B are pairs of adjacent registers, those of dy in that of an operand A.
struct NarrowLane {
  int lane = ThreadId() % 32;
  GRIDWISE_DEVICE int pixel_of_x() const { return lane % 16; }
  GRIDWISE_DEVICE int piece_of_x() const { return lane / 16; }
  GRIDWISE_DEVICE int pixel_of_dy() const { return lane / 16 * 8 + lane % 8; }
  GRIDWISE_DEVICE int piece_of_dy() const { return lane / 8 % 2; }
};

/// Adds the products of 16 pixels of dy with 16 of x.
template <DataType kType>
GRIDWISE_DEVICE void MultiplyTap(float (&sums)[2][4], const Matrices4& dy, const Matrices4& x) {
  WarpMma<kType>(sums[0], dy, x.part[0], x.part[1]);
  WarpMma<kType>(sums[1], dy, x.part[2], x.part[3]);
}

/// Adds the terms of a part of a tile, 16 pixels at a time. Pixels that do not exist are a line of
/// zeros. `taps` are pixels of the patch from a tile's pixel to its source.
template <NarrowWeightConfig kC>
GRIDWISE_DEVICE void MultiplyPixels(NarrowSums<kC>& sums, const HaloArgs& args,
                                    const int (&taps)[kC.taps()], const NarrowStage& stage,
                                    SharedAddress zeros, const HaloTileAt& tile, int part) {
  const int pixels = args.tile_h * args.tile_w;
  const NarrowLane lane;
  const int piece_dy = stage.piece_dy + lane.piece_of_dy();
  const int piece_x = stage.piece_x + lane.piece_of_x();
  NarrowPixels at(args.tile_w, part * 16 + lane.pixel_of_x(), kC.parts() * 16);
  SyncWarp();  // reconverges lanes: products need whole warps
#pragma clang loop unroll(disable)
  for (int first = part * 16; first < pixels; first += kC.parts() * 16, at.Next()) {
    const bool is_there = first + lane.pixel_of_x() < pixels && tile.h + at.h < args.out_h &&
                          tile.w + at.w < args.out_w;
    const int source = at.h * args.pitch + at.w;
    const int pixel = first + lane.pixel_of_dy();  // TMA loads zeros for those outside of dy
    const Matrices4 dy =
        LoadTransposed4(pixel < pixels ? PieceOf(stage.dy, pixel, piece_dy) : zeros);
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

/// What a warp multiplies of two rows of dy, of 8 pixels: them, and the rows of x that the last two
/// taps along h pair with them. For the first tap those are the last one's of the step before.
struct NarrowStep {
  NarrowRows middle, high;
  Matrices4 dy;
};

/// A lane's addresses of an item. Two rows further they are a multiple of 8 pixels further, so that
/// the same banks follow.
struct NarrowItem {
  SharedAddress x[3], dy;
  int line, line_of_dy;  // bytes
  int flip;              // the bit by which the banks of the next row differ

  GRIDWISE_DEVICE NarrowItem(const HaloArgs& args, const NarrowStage& stage, int row, int column)
      : line(args.pitch * 128), line_of_dy(args.tile_w * 128), flip((args.pitch & 4) << 4) {
    const NarrowLane lane;
    column += lane.lane % 8;
    const int of_x = (row + lane.pixel_of_x() / 8) * args.pitch + column;
#pragma unroll
    for (int s = 0; s < 3; ++s)
      x[s] = PieceOf(stage.x, of_x + s, stage.piece_x + lane.piece_of_x());
    dy = PieceOf(stage.dy, (row + lane.pixel_of_dy() / 8) * args.tile_w + column,
                 stage.piece_dy + lane.piece_of_dy());
  }
  GRIDWISE_DEVICE void LoadRows(NarrowRows& rows) const {
#pragma unroll
    for (int s = 0; s < 3; ++s) rows[s] = LoadTransposed4(x[s]);
  }
  /// Loads a step. The next one is two rows further, or the same if there is none.
  GRIDWISE_DEVICE void Load(NarrowStep& step, bool is_last) {
    step.dy = LoadTransposed4(dy);
#pragma unroll
    for (int s = 0; s < 3; ++s) step.middle[s] = LoadTransposed4((x[s] ^ flip) + line);
#pragma unroll
    for (int s = 0; s < 3; ++s) step.high[s] = LoadTransposed4(x[s] + 2 * line);
    if (is_last) return;
#pragma unroll
    for (int s = 0; s < 3; ++s) x[s] += 2 * line;
    dy += 2 * line_of_dy;
  }
};

/// Adds the products of `now`. `other` is the step before, and becomes the next one, whose loads
/// are in flight while most of `now` is multiplied.
template <NarrowWeightConfig kC>
GRIDWISE_DEVICE void MultiplyStep(NarrowSums<kC>& sums, const NarrowStep& now, NarrowStep& other,
                                  NarrowItem& item, bool is_last) {
#pragma unroll
  for (int s = 0; s < 3; ++s) MultiplyTap<kC.type>(sums[s], now.dy, other.high[s]);
  item.Load(other, is_last);
#pragma unroll
  for (int s = 0; s < 3; ++s) MultiplyTap<kC.type>(sums[3 + s], now.dy, now.middle[s]);
#pragma unroll
  for (int s = 0; s < 3; ++s) MultiplyTap<kC.type>(sums[6 + s], now.dy, now.high[s]);
}

/// The same for an instance that walks rows, two at a time, of items of `rows`. Pixels of dy that
/// do not exist are zeros.
template <NarrowWeightConfig kC>
GRIDWISE_DEVICE void MultiplyRows(NarrowSums<kC>& sums, const HaloArgs& args,
                                  const NarrowStage& stage, int part, int rows) {
  const int strips = args.tile_w / kC.kItemColumns;
  int first = 0;
#pragma clang loop unroll(disable)
  for (int strip = part;; strip += kC.parts()) {
    while (strip >= strips) strip -= strips, first += rows;
    if (first >= args.tile_h) break;
    const int end = Min(first + rows, args.tile_h);
    NarrowItem item(args, stage, first, strip * kC.kItemColumns);
    SyncWarp();  // reconverges lanes: products need whole warps
    NarrowStep even, odd;
    item.LoadRows(odd.high);
    item.Load(even, first + 2 >= end);
#pragma clang loop unroll(disable)
    for (int h = first; h < end; h += 4) {
      MultiplyStep<kC>(sums, even, odd, item, h + 4 >= end);
      if (h + 2 >= end) break;
      MultiplyStep<kC>(sums, odd, even, item, h + 6 >= end);
    }
  }
}

}  // namespace gridwise::hopper
