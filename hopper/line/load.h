// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/halo/tile.h"
#include "hopper/line/config.h"

/// How line instances (hopper/line/config.h) put lines of the source and the filter into shared
/// memory.

namespace gridwise::hopper {

template <LineConfig kC>
struct LineLoads {
  static constexpr int kPieces = kC.lines * kC.pieces;

  /// Counts the bytes of the filter if TMA loads it.
  GRIDWISE_DEVICE static Mbarrier FilterLoaded(const HaloArgs& args, SharedAddress base) {
    return {base + args.barriers_at + kC.stages * 16};
  }

  /// The element of a line at which a tile begins.
  GRIDWISE_DEVICE static int FirstOf(const HaloArgs& args, const HaloTileAt& tile) {
    return args.origin_w + tile.w * args.source_step_w;
  }

  /// Starts to load a tile's patch, four elements at a time, which exist together or not. Called by
  /// a whole warp.
  GRIDWISE_DEVICE static void LoadLines(const HaloArgs& args, SharedAddress to,
                                        const HaloTileAt& tile) {
    using T = Element<kC.type>;
    const int first = (FirstOf(args, tile) & ~7) + ThreadId() % 32 * 4;
    const int end = FirstOf(args, tile) + (args.tile_w - 1) * args.source_step_w + args.run;
    const int first_line = args.origin_h + tile.h * args.source_step_h;
    const int lines = args.box_bytes / kC.line_bytes();
    const PixelStrides stride = args.source_stride_of;
    const T* const image = static_cast<const T*>(args.source_data) + tile.image * stride.image;
    for (int i = 0; i < lines; ++i) {
      const int h = first_line + i;
      const int width = h >= 0 && h < args.source_h ? args.source_w : 0;
      const T* const from = image + static_cast<long>(h) * stride.h + first;
      const SharedAddress at = to + i * kC.line_bytes() + ThreadId() % 32 * 8;
#pragma unroll
      for (int e = 0; e < kC.elements; e += 128) {
        const bool is_there = first + e >= 0 && first + e < width;
        if (first + e < end) LoadEight(at + e * 2, from + e, is_there);
      }
    }
  }

  /// Starts to load the filter of the workgroup's columns, [64 columns][element of K][column].
  GRIDWISE_DEVICE static void LoadFilter(const HaloArgs& args, SharedAddress base,
                                         int first_column) {
    if (!IsElected()) return;
    const Mbarrier loaded = FilterLoaded(args, base);
    const int channels = args.source_channels, of_line = args.run / channels;
    loaded.ArriveAndExpect(kC.lines * args.run * kC.columns * 2);
    for (int block = 0; block < kC.columns / 64; ++block) {
      for (int tap = kC.lines * of_line - 1, line = 0; line < kC.lines; ++line) {
        SharedAddress to =
            base + args.filter_at + block * kC.block_bytes() + line * kC.pieces * 1024;
        for (int i = 0; i < of_line; ++i, --tap, to += channels * 128) {
          LoadBox(to, args.other, loaded, first_column + block * 64, tap, 0, 0);
        }
      }
    }
  }

  /// Zeros lines of the filter of an element of K that no element of the source meets. Called by
  /// all consumer threads.
  GRIDWISE_DEVICE static void FillZeros(const HaloArgs& args, SharedAddress base) {
    for (int at = ThreadId(); at < kC.filter_bytes() / 16; at += 128 * kC.teams) {
      const int k = at / 8 % (kC.steps() * 16);
      const bool is_there = k < kPieces * 8 && k % (kC.pieces * 8) < args.run;
      if (!is_there) StoreZeros16(base + args.filter_at + at * 16);
    }
  }

  /// Puts the filter of the workgroup's columns into shared memory, [k tile][column][64 of K].
  /// Called by all consumer threads.
  GRIDWISE_DEVICE static void FillFilter(const HaloArgs& args, int first_column) {
    using T = Element<kC.type>;
    const T* const w = static_cast<const T*>(args.other_data);
    char* const to = dynamic_shared_memory + args.filter_at;
#pragma clang loop unroll_count(8)
    for (int at = ThreadId(); at < kC.filter_bytes() / 2; at += 128 * kC.teams) {
      const int n = at / 64 % kC.columns, k = at / (64 * kC.columns) * 64 + at % 64;
      const int piece = k / 8, line = piece / kC.pieces;
      const int e = piece % kC.pieces * 8 + k % 8 - args.lead;
      const bool is_there =
          piece < kPieces && e >= 0 && e < args.run && first_column + n < args.channels;
      T value = 0;
      if (is_there) {
        value = w[static_cast<long>(first_column + n) * args.w_out + line * args.w_y + e];
      }
      *reinterpret_cast<T*>(to + ((at * 2) ^ ((n & 7) << 4))) = value;
    }
  }
};

}  // namespace gridwise::hopper
