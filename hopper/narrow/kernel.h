// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/warp_mma.h"
#include "hopper/halo/tile.h"
#include "hopper/halo_weight/output_map.h"
#include "hopper/kernel/roles.h"
#include "hopper/kernel/store.h"
#include "hopper/narrow/config.h"

/// Backward-weight of groups of few channels by single warps, see hopper/narrow/config.h. A warp
/// combines 16 pixels of dy with 16 of x at each tap, which lie [pixel][channel] and are loaded
/// transposed. Pixels that do not exist are a line of zeros. If warps are parts of the pixels and
/// not of the taps, they add up their sums in order at the end. Workgroups that share the tiles of
/// a block of channels are splits of K. The first warp also loads tiles ahead: a separate producer
/// warp would cost the others registers.

namespace gridwise::hopper {

/// The address of 16 bytes of a pixel, for pixels that begin at `pixels`.
GRIDWISE_DEVICE SharedAddress PieceOf(SharedAddress pixels, int pixel, int piece) {
  return pixels + pixel * 128 + ((piece ^ (pixel & 7)) << 4);
}

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

/// A sum that is NaN has terms that are NaN.
template <DataType kType>
struct NarrowWeightOutputMap : HaloWeightOutputMap<kType> {
  GRIDWISE_DEVICE float Mend(float v, const HaloWeightOutputMap<kType>::Row&, int) const {
    return v;
  }
};

template <NarrowWeightConfig kC>
struct NarrowWeightRoles {
  static constexpr int kColumns = kC.channels / 8;  // operands B
  static constexpr int kThreads = kC.threads();
  using Sums = float[kC.taps()][kColumns][4];
  using Taps = int[kC.taps()];  // pixels of the patch from a tile's pixel to its source

  GRIDWISE_DEVICE static void Init(const HaloArgs& args, SharedAddress base) {
    if (ThreadId() == 0) HaloRing<kC.stages>(args, base).Init(kC.warps);
    if (ThreadId() < 32) {  // the line of zeros
      *reinterpret_cast<float*>(dynamic_shared_memory + args.filter_at + ThreadId() * 4) = 0;
    }
  }

  /// Starts to load a tile, if there is one, when nobody reads its stage. Called by a whole warp.
  GRIDWISE_DEVICE static void Load(const HaloArgs& args, const HaloWork& work,
                                   Ring<kC.stages>& ring, int i) {
    if (i >= work.tiles) return;
    const HaloTileAt tile = FindHaloTile(args, i);
    ring.WaitEmpty();
    if (IsElected()) {
      ring.full().ArriveAndExpect(args.planes * args.box_bytes + args.tile_h * args.tile_w * 128);
      LoadPatch(args, ring, work.block * 64, tile);
      LoadBox(ring.at() + args.other_at, args.other, ring.full(), work.block * 64, tile.w, tile.h,
              tile.d, tile.image);
    }
    ring.Next();
  }

  /// Finds a warp's taps; those past the filter's last repeat the last, and their sums are not
  /// used.
  GRIDWISE_DEVICE static void FindTaps(Taps& taps, const HaloArgs& args, int first) {
    const int last = args.phase_end[0] - 1;
#pragma unroll
    for (int i = 0; i < kC.taps(); ++i) {
      const int tap = kC.has_windows() && first + i > last ? last : first + i;
      taps[i] = args.tap[tap].at / 128;
    }
  }

  /// Adds the terms of a tile.
  GRIDWISE_DEVICE static void MultiplyTile(Sums& sums, const HaloArgs& args, const Taps& taps,
                                           SharedAddress stage, SharedAddress zeros,
                                           const HaloTileAt& tile, int part, int run) {
    const int lane = ThreadId() % 32, piece_of_lane = lane / 8 % 2;
    const int piece_a = run * 2 + piece_of_lane;
    const int piece_b = run * 16 / kC.channels * (kC.channels / 8) + piece_of_lane;
    const SharedAddress dy = stage + args.other_at;
    const int pixels = args.tile_h * args.tile_w;
    int pixel = part * 16 + lane / 16 * 8 + lane % 8;
    NarrowPixels at(args.tile_w, pixel, kC.parts() * 16);
    SyncWarp();  // reconverges lanes: products need whole warps
#pragma clang loop unroll(disable)
    for (int first = part * 16; first < pixels;
         first += kC.parts() * 16, pixel += kC.parts() * 16, at.Next()) {
      const bool is_there =
          pixel < pixels && tile.h + at.h < args.out_h && tile.w + at.w < args.out_w;
      const int source = at.h * args.pitch + at.w;
      const Matrices4 a = LoadTransposed4(is_there ? PieceOf(dy, pixel, piece_a) : zeros);
      Matrices4 b[kC.taps()][kColumns / 2];  // all are in flight before the first is multiplied
#pragma unroll
      for (int tap = 0; tap < kC.taps(); ++tap) {
        const int x = source + taps[tap];
#pragma unroll
        for (int j = 0; j < kColumns; j += 2) {
          b[tap][j / 2] = LoadTransposed4(is_there ? PieceOf(stage, x, piece_b + j) : zeros);
        }
      }
#pragma unroll
      for (int tap = 0; tap < kC.taps(); ++tap) {
#pragma unroll
        for (int j = 0; j < kColumns; j += 2) {
          const Matrices4& of_tap = b[tap][j / 2];
          WarpMma<kC.type>(sums[tap][j], a, of_tap.part[0], of_tap.part[2]);
          WarpMma<kC.type>(sums[tap][j + 1], a, of_tap.part[1], of_tap.part[3]);
        }
      }
    }
  }

  /// Adds up the sums of the parts, in order, in those of the first. Called by all consumer warps.
  GRIDWISE_DEVICE static void AddParts(Sums& sums, int part) {
    constexpr int kPerLane = kC.taps() * kColumns * 4, kStride = 32 * 4;
    float* const of_warp = reinterpret_cast<float*>(dynamic_shared_memory) +
                           ThreadId() / 32 % 4 * 32 * kPerLane + ThreadId() % 32;
    WaitAt(StoreBarrier(0), 32 * kC.warps);  // nobody reads the stages anymore
    constexpr int kOfPart = kStride * kPerLane;
    if (part > 0) {
#pragma unroll
      for (int i = 0; i < kPerLane; ++i) {
        of_warp[(part - 1) * kOfPart + i * 32] = sums[i / 4 / kColumns][i / 4 % kColumns][i % 4];
      }
    }
    WaitAt(StoreBarrier(0), 32 * kC.warps);
    if (part > 0) return;
#pragma clang loop unroll(disable)
    for (int other = 0; other < kC.parts() - 1; ++other) {
#pragma unroll
      for (int i = 0; i < kPerLane; ++i) {
        sums[i / 4 / kColumns][i / 4 % kColumns][i % 4] += of_warp[other * kOfPart + i * 32];
      }
    }
  }

  GRIDWISE_DEVICE static void Run(const HaloArgs& args, SharedAddress base) {
    const int warp = ThreadId() / 32, run = warp % 4, lane = ThreadId() % 32;
    const int part = kC.has_windows() ? 0 : warp / 4;
    const HaloWork work(args);
    const int first_tap = kC.has_windows() ? work.split * kC.window() + warp / 4 * kC.taps() : 0;
    Taps taps;
    FindTaps(taps, args, first_tap);
    Ring<kC.stages> ring = HaloRing<kC.stages>(args, base);
    Ring<kC.stages> ahead = ring;
    constexpr int kAhead = kC.stages - 1;
    for (int i = 0; warp == 0 && i < kAhead; ++i)
      Load(args, work, ahead, work.first + i * work.step);
    Sums sums = {};
    for (int i = work.first; i < work.tiles; i += work.step, ring.Next()) {
      if (warp == 0) Load(args, work, ahead, i + kAhead * work.step);
      ring.WaitFull();
      MultiplyTile(sums, args, taps, ring.at(), base + args.filter_at, FindHaloTile(args, i), part,
                   run);
      SyncWarp();
      ring.Release(ring.stage());
    }
    if constexpr (kC.parts() > 1) AddParts(sums, part);
    if (part > 0) return;
    const HaloWeightBlock block(args, work);
    const int first_column = run * 16 / kC.channels * kC.channels;
#pragma clang loop unroll(disable)
    for (int tap = 0; tap < kC.taps(); ++tap) {
      if (kC.has_windows() && first_tap + tap >= args.phase_end[0]) return;
      const NarrowWeightOutputMap<kC.type> output = {
          {args, work, block, args.tap[first_tap + tap]}};
      const Finisher<NarrowWeightOutputMap<kC.type>, Element<kC.type>> finish(args.epilogue, output,
                                                                              /*split=*/work.first);
#pragma unroll
      for (int i = 0; i < kColumns * 2; ++i) {
        Vec<float, 2> v = {};
#pragma unroll
        for (int t = 0; t < kC.taps(); ++t) {  // registers cannot be indexed
          if (t == tap) v = {sums[t][i / 2][i % 2 * 2], sums[t][i / 2][i % 2 * 2 + 1]};
        }
        finish.Store(v, finish.FindRow(run * 16 + lane / 4 + i % 2 * 8),
                     first_column + i / 2 * 8 + lane % 4 * 2);
      }
    }
  }
};

}  // namespace gridwise::hopper
