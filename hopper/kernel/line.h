#pragma once

#include "hopper/kernel/cell_place.h"
#include "hopper/line.h"

/// Forward and backward-data of one group and few source channels, see hopper/line.h. Elements of A
/// that a line of the filter does not have are zeros, as are B's there: a NaN next to them stays
/// where it is.

namespace gridwise::hopper {

template <LineConfig kC>
struct LineRoles {
  static constexpr int kPieces = kC.lines * kC.pieces;
  using A = unsigned[kC.steps()][4];

  GRIDWISE_DEVICE static void Init(const HaloArgs& args, SharedAddress base) {
    if (ThreadId() != 0) return;
    FilterLoaded(args, base).Init(1);
    HaloRing<kC.stages>(args, base).Init(4 * kC.teams, kC.loads_by_lanes() ? 32 : 1);
  }

  /// Counts the bytes of the filter, where the copy engine loads it.
  GRIDWISE_DEVICE static Mbarrier FilterLoaded(const HaloArgs& args, SharedAddress base) {
    return {base + args.barriers_at + kC.stages * 16};
  }

  GRIDWISE_DEVICE static void Produce(const HaloArgs& args, SharedAddress base) {
    const HaloWork work(args);
    Ring<kC.stages> ring = HaloRing<kC.stages>(args, base);
    if (kC.has_lines_per_k() && work.split == 0) {
      LoadFilter(args, base, work.block * kC.columns);
    }
    for (int i = work.first; i < work.tiles; i += work.step, ring.Next()) {
      const HaloTileAt tile = FindHaloTile(args, i);
      ring.WaitEmpty();
      if constexpr (kC.loads_by_lanes()) {
        LoadLines(args, ring.at(), tile);
        ring.full().ArriveWhenLoaded();
        continue;
      }
      if (!IsElected()) continue;
      ring.full().ArriveAndExpect(args.box_bytes);
      // The copy engine loads from multiples of 16 bytes on.
      LoadBox(ring.at(), args.source, ring.full(), FirstOf(args, tile) & ~7,
              args.origin_h + tile.h * args.source_step_h, tile.image);
    }
  }

  /// The element of a line where a tile begins.
  GRIDWISE_DEVICE static int FirstOf(const HaloArgs& args, const HaloTileAt& tile) {
    return args.origin_w + tile.w * args.source_step_w;
  }

  /// By a whole warp: starts to load a tile's patch, four elements at a time: there are all or
  /// none.
  GRIDWISE_DEVICE static void LoadLines(const HaloArgs& args, SharedAddress to,
                                        const HaloTileAt& tile) {
    using T = Element<kC.type>;
    const int first = (FirstOf(args, tile) & ~7) + ThreadId() % 32 * 4;
    const int end = FirstOf(args, tile) + (args.tile_w - 1) * args.source_step_w + args.run;
    const int first_line = args.origin_h + tile.h * args.source_step_h;
    const int lines = args.box_bytes / kC.line_bytes();
    const CellStrides stride = args.source_stride_of;
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

  /// Zeros in lines of the filter, of an element of K, that no element of the source meets, or in
  /// all of them. By all threads that consume.
  GRIDWISE_DEVICE static void FillZeros(const HaloArgs& args, SharedAddress base, bool is_zero) {
    for (int at = ThreadId(); at < kC.filter_bytes() / 16; at += 128 * kC.teams) {
      const int k = at / 8 % (kC.steps() * 16);
      const bool is_there = k < kPieces * 8 && k % (kC.pieces * 8) < args.run;
      if (is_zero || !is_there) StoreZeros16(base + args.filter_at + at * 16);
    }
  }

  /// Puts the filter of the workgroup's columns into shared memory, [slab][column][64 of K]. By all
  /// threads that consume.
  GRIDWISE_DEVICE static void FillFilter(const HaloArgs& args, int first_column, bool is_zero) {
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
      if (is_there && !is_zero) {
        value = w[static_cast<long>(first_column + n) * args.w_out + line * args.w_y + e];
      }
      *reinterpret_cast<T*>(to + ((at * 2) ^ ((n & 7) << 4))) = value;
    }
  }

  /// Of a line's first and last piece, the elements that a thread has and that there are.
  struct Masks {
    unsigned first = ~0u, last = ~0u;

    GRIDWISE_DEVICE explicit Masks(const HaloArgs& args) {
      const int q = ThreadId() % 4, left = args.run + args.lead - (kC.pieces - 1) * 8 - q * 2;
      if (q == 0 && args.lead != 0) first = 0xffff0000u;
      if (left < 2) last = left == 1 ? 0xffffu : 0;
    }
  };

  /// Elements of a cell of a tile, two of each piece, in every other register from `first` on.
  GRIDWISE_DEVICE static void LoadCell(A& a, int first, const HaloArgs& args, int patch, int cell,
                                       const Masks& masks) {
    const int last = args.tile_h * args.tile_w - 1, known = cell < last ? cell : last;
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
    const int first = ThreadId() % 128 / 32 * 16 + ThreadId() % 32 / 4;  // row of a chunk
    const HaloWork work(args);
    const int first_column = work.block * kC.columns;
    const bool is_zero = work.split > 0;
    if constexpr (kC.has_lines_per_k()) {
      FillZeros(args, base, is_zero);
    } else {
      FillFilter(args, first_column, is_zero);
    }
    FenceAsyncProxy();
    WaitAt(StoreBarrier(6), 128 * kC.teams);
    if (kC.has_lines_per_k() && !is_zero) FilterLoaded(args, base).Wait(0);
    const Masks masks(args);
    const int cells = args.tile_h * args.tile_w;
    char* const staging = dynamic_shared_memory + args.staging_at + team * 8192;
    Ring<kC.stages> ring = HaloRing<kC.stages>(args, base);
    int turn = 0;
    for (int i = work.first; i < work.tiles; i += work.step, ring.Next()) {
      const HaloTileAt tile = FindHaloTile(args, i);
      const CellPlace place = {args, tile, first_column};
      const Finisher<CellPlace, Element<kC.type>> finish(args.epilogue, place, work.split);
      ring.WaitFull();
      // Pairs of elements are aligned: a line has one more before its first, or not.
      const int patch = static_cast<int>(ring.at() - base) + (FirstOf(args, tile) & 6) * 2;
      for (int chunk = 0; chunk < cells; chunk += 64, ++turn) {
        if (turn % kC.teams != team) continue;
        A a;
        LoadCell(a, 0, args, patch, chunk + first, masks);
        LoadCell(a, 1, args, patch, chunk + first + 8, masks);
        float sums[kC.columns / 2];
        Multiply(sums, a, base + args.filter_at);
        StoreByLanes<kC.columns, kC.type>(finish, args.stores, staging, team, chunk, sums);
      }
      ring.Release(ring.stage());
    }
  }
};

}  // namespace gridwise::hopper
