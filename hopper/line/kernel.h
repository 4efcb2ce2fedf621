// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/halo/pixel_output_map.h"
#include "hopper/halo/tile.h"
#include "hopper/kernel/roles.h"
#include "hopper/kernel/store.h"
#include "hopper/line/load.h"

/// Forward and backward-data of one group and few source channels, see hopper/line/config.h.
/// Elements of A that a line of the filter does not have are zeros, and so are those of B: a NaN
/// next to them does not spread.

namespace gridwise::hopper {

template <LineConfig kC>
struct LineRoles : LineLoads<kC> {
  using Loads = LineLoads<kC>;
  using Loads::kPieces, Loads::FilterLoaded, Loads::FirstOf;
  using A = unsigned[kC.steps()][4];

  GRIDWISE_DEVICE static void Init(const HaloArgs& args, SharedAddress base) {
    FilterLoaded(args, base).Init(1);
    HaloRing<kC.stages>(args, base).Init(4 * kC.teams, kC.loads_by_lanes() ? 32 : 1);
  }

  GRIDWISE_DEVICE static void Produce(const HaloArgs& args, SharedAddress base) {
    const HaloWork work(args);
    Ring<kC.stages> ring = HaloRing<kC.stages>(args, base);
    if (kC.has_lines_per_k()) Loads::LoadFilter(args, base, work.block * kC.columns);
    for (int i = work.first; i < work.tiles; i += work.step, ring.Next()) {
      const HaloTileAt tile = FindHaloTile(args, i);
      ring.WaitEmpty();
      if constexpr (kC.loads_by_lanes()) {
        Loads::LoadLines(args, ring.at(), tile);
        ring.full().ArriveWhenLoaded();
        continue;
      }
      if (!IsElected()) continue;
      ring.full().ArriveAndExpect(args.box_bytes);
      // TMA loads from multiples of 16 bytes.
      LoadBox(ring.at(), args.source, ring.full(), FirstOf(args, tile) & ~7,
              args.origin_h + tile.h * args.source_step_h, tile.image);
    }
  }

  /// Masks of the elements that exist in a thread's part of a line's first and last piece.
  struct Masks {
    unsigned first = ~0u, last = ~0u;

    GRIDWISE_DEVICE explicit Masks(const HaloArgs& args) {
      const int q = ThreadId() % 4, left = args.run + args.lead - (kC.pieces - 1) * 8 - q * 2;
      if (q == 0 && args.lead != 0) first = 0xffff0000u;
      if (left < 2) last = left == 1 ? 0xffffu : 0;
    }
  };

  /// Loads the elements of a pixel of a tile, two of each piece, into every other register from
  /// `first` on.
  GRIDWISE_DEVICE static void LoadPixel(A& a, int first, const HaloArgs& args, int patch, int pixel,
                                        const Masks& masks) {
    const int last = args.tile_h * args.tile_w - 1, known = pixel < last ? pixel : last;
    const int h = Quotient(known, args.by_pitch), w = known - h * args.pitch;
    const char* const from = dynamic_shared_memory + patch +
                             h * args.source_step_h * kC.line_bytes() + w * args.source_step_w * 2 +
                             ThreadId() % 4 * 4;
#pragma unroll
    for (int piece = 0; piece < kPieces; ++piece) {
      unsigned& to = a[piece / 2][piece % 2 * 2 + first];
      to = *reinterpret_cast<const unsigned*>(from + piece / kC.pieces * kC.line_bytes() +
                                              piece % kC.pieces * 16);
      if (piece % kC.pieces == 0) to &= masks.first;
      if (piece % kC.pieces == kC.pieces - 1) to &= masks.last;
    }
    if constexpr (kPieces % 2 != 0) a[kPieces / 2][2 + first] = 0;
  }

  GRIDWISE_DEVICE static void Multiply(float (&sums)[kC.columns / 2], const A& a,
                                       SharedAddress filter) {
    constexpr bool kLines = kC.has_lines_per_k();
    constexpr OperandOrder kOrder = kLines ? OperandOrder::kLinesPerK : OperandOrder::kRunsAlongK;
    const MatrixDescriptor b =
        kLines ? LinesPerK(filter, kC.block_bytes()) : RunsAlongK<128>(filter);
    WgmmaFence();
#pragma unroll
    for (int step = 0; step < kC.steps(); ++step) {
      const int at = kLines ? step * 2048 : step / 4 * kC.columns * 128 + step % 4 * 32;
      WgmmaOfRegisters<kC.columns, kC.type, kOrder>(sums, a[step], Moved(b, at), step != 0);
    }
    WgmmaCommit();
    WgmmaWait<0>();
    Touch(sums);
  }

  GRIDWISE_DEVICE static void Consume(const HaloArgs& args, SharedAddress base) {
    const int team = WarpgroupId();
    const int first =
        ThreadId() % 128 / 32 * 16 + ThreadId() % 32 / 4;  // row in a block of 64 pixels
    const HaloWork work(args);
    const int first_column = work.block * kC.columns;
    if constexpr (kC.has_lines_per_k()) {
      Loads::FillZeros(args, base);
    } else {
      Loads::FillFilter(args, first_column);
    }
    FenceAsyncProxy();
    WaitAt(StoreBarrier(6), 128 * kC.teams);
    if (kC.has_lines_per_k()) FilterLoaded(args, base).Wait(0);
    const Masks masks(args);
    const int pixels = args.tile_h * args.tile_w;
    char* const staging = dynamic_shared_memory + args.staging_at + team * 8192;
    Ring<kC.stages> ring = HaloRing<kC.stages>(args, base);
    int turn = 0;
    for (int i = work.first; i < work.tiles; i += work.step, ring.Next()) {
      const HaloTileAt tile = FindHaloTile(args, i);
      const PixelOutputMap output = {args, tile, first_column};
      constexpr bool kTensors = kC.direction == Direction::kForward;
      const Finisher<PixelOutputMap, Element<kC.type>, kTensors> finish(args.epilogue, output,
                                                                        work.split);
      ring.WaitFull();
      // Pairs of elements are aligned: a line may have one more element before its first.
      const int patch = static_cast<int>(ring.at() - base) + (FirstOf(args, tile) & 6) * 2;
      for (int first_pixel = 0; first_pixel < pixels; first_pixel += 64, ++turn) {
        if (turn % kC.teams != team) continue;
        if (work.split > 0) {  // no products with zeros: those of infinities are NaN
          StoreZeros<kC.columns, kC.type, 1>(finish, args.stores, staging, team, first_pixel);
          continue;
        }
        A a;
        LoadPixel(a, 0, args, patch, first_pixel + first, masks);
        LoadPixel(a, 1, args, patch, first_pixel + first + 8, masks);
        float sums[kC.columns / 2];
        Multiply(sums, a, base + args.filter_at);
        MakeIntegers(args.epilogue, sums);
        StoreByLanes<kC.columns, kC.type>(finish, args.stores, staging, team, first_pixel, sums);
      }
      // Lane 0 releases for its warp. Lanes that have products here have met in them. Lanes of a
      // team without a block may still wait for the stage, and would miss it: the producer fills it
      // again, and a barrier's parity is the same after two phases.
      SyncWarp();
      ring.Release(ring.stage());
    }
  }
};

}  // namespace gridwise::hopper
