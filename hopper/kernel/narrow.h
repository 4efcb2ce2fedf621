#pragma once

#include "core/arch/warp_mma.h"
#include "hopper/kernel/halo.h"
#include "hopper/narrow.h"

/// Forward and backward-data of groups of few channels by single warps, see hopper/narrow.h.

namespace gridwise::hopper {

/// Runs a kernel's roles: a thread of the last warp produces what the others consume.
template <int kWarps, class Roles, class Args>
GRIDWISE_DEVICE void RunWarpRoles(const Args& args) {
  const SharedAddress base = DynamicSharedMemory();
  Roles::Init(args, base);
  WaitAt(0, 32 * (kWarps + 1));
  if (ThreadId() < 32 * kWarps) {
    Roles::Consume(args, base);
  } else if (ThreadId() == 32 * kWarps) {
    Roles::Produce(args, base);
  }
}

/// Where 16 bytes of a cell are, of a patch that begins at an address.
GRIDWISE_DEVICE SharedAddress PieceOf(SharedAddress patch, int cell, int piece) {
  return patch + cell * 128 + ((piece ^ (cell & 7)) << 4);
}

/// The cell of a lane's row of the matrices of LoadMatrix4, of 16, and its 8 channels of 16.
GRIDWISE_DEVICE int CellOfLane() { return ThreadId() % 16; }
GRIDWISE_DEVICE int PieceOfLane() { return ThreadId() % 32 / 16; }

/// A warp's filter: operands B of each tap, 16 source channels and 8 output channels.
template <NarrowConfig kC>
struct NarrowFilter {
  static constexpr int kDepth = kC.channels / 16;
  unsigned part[kC.filter * kC.filter][kDepth][2][2];

  GRIDWISE_DEVICE NarrowFilter(const HaloArgs& args, const HaloWork& work, int run) {
    using T = Element<kC.type>;
    const int lane = ThreadId() % 32, block = work.block * 64;
    const int first_source = block + run / kDepth * kC.channels;
#pragma unroll
    for (int tap = 0; tap < kC.filter * kC.filter; ++tap) {
#pragma unroll
      for (int i = 0; i < kDepth * 4; ++i) {
        const int k16 = i / 4, n = i / 2 % 2, half = i % 2;
        const int out = block + run * 16 + n * 8 + lane / 4;
        const int source = first_source + k16 * 16 + half * 8 + lane % 4 * 2;
        float pair[2];
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          const T* const w = FilterOf<T>(args, args.tap[tap], out, source + e);
          const T value = *(w == nullptr ? static_cast<const T*>(args.other_data) : w);
          pair[e] = w != nullptr && work.split == 0 ? static_cast<float>(value) : 0;
        }
        part[tap][k16][n][half] = Pack<kC.type>(pair[0], pair[1]);
      }
    }
  }
};

/// Sums of a lane: of classes, lines and 8 output channels, as WarpMma has them.
template <NarrowConfig kC>
struct NarrowSums {
  float d[kC.classes()][kC.lines][2][4] = {};

  /// Adds the terms of a tap.
  GRIDWISE_DEVICE void Add(int of_class, int line, const Matrices4& cells, int tap, int k16,
                           const NarrowFilter<kC>& filter) {
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      const unsigned (&b)[2] = filter.part[tap][k16][n];
      WarpMma<kC.type>(d[of_class][line][n], cells, b[0], b[1]);
    }
  }
};

/// The sums of 16 cells and kC.lines lines, of which this lane's first is `cell` of the patch.
template <NarrowConfig kC>
GRIDWISE_DEVICE void MultiplyLines(NarrowSums<kC>& sums, const HaloArgs& args,
                                   const NarrowFilter<kC>& filter, SharedAddress patch, int cell,
                                   int piece) {
  constexpr int kDepth = NarrowFilter<kC>::kDepth;
  if constexpr (kC.step == 1 && kC.up == 1) {  // taps of a column meet the same cells, line by line
#pragma unroll
    for (int y = 0; y < kC.lines + kC.filter - 1; ++y) {
#pragma unroll
      for (int x = 0; x < kC.filter; ++x) {
#pragma unroll
        for (int k16 = 0; k16 < kDepth; ++k16) {
          const Matrices4 cells =
              LoadMatrix4(PieceOf(patch, cell + y * args.pitch + x, piece + k16 * 2));
#pragma unroll
          for (int t = 0; t < kC.filter; ++t) {
            if (y < t || y - t >= kC.lines) continue;
            sums.Add(0, y - t, cells, t * kC.filter + x, k16, filter);
          }
        }
      }
    }
  } else {
    int tap = 0;
#pragma unroll
    for (int c = 0; c < kC.classes(); ++c) {
#pragma unroll
      for (int t = 0; t < kC.taps_of_class(c); ++t, ++tap) {
        const int first = cell + args.tap[tap].at / 128;
#pragma unroll
        for (int line = 0; line < kC.lines; ++line) {
#pragma unroll
          for (int k16 = 0; k16 < kDepth; ++k16) {
            const Matrices4 cells =
                LoadMatrix4(PieceOf(patch, first + line * args.pitch, piece + k16 * 2));
            sums.Add(c, line, cells, tap, k16, filter);
          }
        }
      }
    }
  }
}

/// Where rows and columns are, see Finisher. A row is a cell of a class, columns begin at the
/// warp's first.
template <NarrowConfig kC>
struct NarrowPlace {
  const HaloArgs& args;
  const HaloTileAt& tile;
  int first_channel, split;

  struct Row {
    bool is_there;
    int residues, h, w;
  };
  GRIDWISE_DEVICE Row RowAt(int residues, int h, int w) const {
    Row row = {.is_there = h < args.tile_h && w < args.tile_w,
               .residues = residues,
               .h = tile.h + h,
               .w = tile.w + w};
    row.is_there = row.is_there && OutH(row) < args.out_h && OutW(row) < args.out_w;
    return row;
  }
  GRIDWISE_DEVICE int OutH(const Row& row) const {
    return row.h * kC.up + (row.residues / kC.up ^ args.flip_h);
  }
  GRIDWISE_DEVICE int OutW(const Row& row) const {
    return row.w * kC.up + (row.residues % kC.up ^ args.flip_w);
  }
  GRIDWISE_DEVICE long Bytes(const OutputStrides& strides, const Row& row) const {
    return tile.image * strides.image + static_cast<long>(OutH(row)) * strides.axis[1] +
           static_cast<long>(OutW(row)) * strides.axis[2];
  }
  GRIDWISE_DEVICE int Count(int) const { return args.channels - first_channel; }
  GRIDWISE_DEVICE long Column(const OutputStrides& strides, int column) const {
    const int channel = first_channel + column, mask = (1 << args.log_group) - 1;
    return (channel >> args.log_group) * strides.group +
           static_cast<long>(channel & mask) * strides.column;
  }
  GRIDWISE_DEVICE bool Has(const Row&, int) const { return true; }
  GRIDWISE_DEVICE float Mend(float v, const Row& row, int column) const {
    if (split > 0) return 0;
    if (!args.mixes) return v;
    return SumOfGroup<Element<kC.type>>(args, tile.image, row.residues, row.h, row.w,
                                        first_channel + column);
  }
};

/// A lane's sums that are NaN, of cells that there are, become those of their own group's terms.
template <NarrowConfig kC>
GRIDWISE_DEVICE void MendLines(NarrowSums<kC>& sums, const NarrowPlace<kC>& place, int h, int w) {
  constexpr int kOfClass = kC.lines * 8, kSums = kC.classes() * kOfClass;
  const int lane = ThreadId() % 32;
  const auto sum_at = [&](int i) __attribute__((always_inline)) -> float& {
    return sums.d[i / kOfClass][i / 8 % kC.lines][i / 4 % 2][i % 4];
  };
  bool any = false;
#pragma unroll
  for (int i = 0; i < kSums; ++i) any |= sum_at(i) != sum_at(i);
  if (!any) return;
#pragma clang loop unroll(disable)
  for (int i = 0; i < kSums; ++i) {
    const auto row = place.RowAt(i / kOfClass, h + i / 8 % kC.lines, w + lane / 4 + i / 2 % 2 * 8);
    const int column = i / 4 % 2 * 8 + lane % 4 * 2 + i % 2;
    if (!row.is_there || column >= place.Count(0)) continue;
    float v = 0;
#pragma unroll
    for (int j = 0; j < kSums; ++j) v = j == i ? sum_at(j) : v;  // registers have no index
    if (v == v) continue;
    v = place.Mend(v, row, column);
#pragma unroll
    for (int j = 0; j < kSums; ++j) sum_at(j) = j == i ? v : sum_at(j);
  }
}

/// Stores a warp's sums by whole sectors of 32 bytes; h and w are its first cell of the tile.
template <NarrowConfig kC, class Finish>
GRIDWISE_DEVICE void StoreLineVectors(const Finish& finish, const NarrowPlace<kC>& place, int h,
                                      int w, NarrowSums<kC>& sums) {
  const int lane = ThreadId() % 32, q = lane % 4, count = place.Count(0);
  const OutputStrides& strides = finish.args().strides;
#pragma unroll
  for (int i = 0; i < kC.classes() * kC.lines * 2; ++i) {
    FinishSums(finish.args(), sums.d[i / 2 / kC.lines][i / 2 % kC.lines][i % 2]);
  }
#pragma unroll
  for (int c = 0; c < kC.classes(); ++c) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const auto first = place.RowAt(c, h, w + lane / 4 + half * 8);
      char* to = finish.RowOf(first) + finish.Column(0) + q * 8;
#pragma unroll
      for (int line = 0; line < kC.lines; ++line, to += strides.axis[1] * kC.up) {
        const int mine = first.is_there && h + line < place.args.tile_h &&
                                 place.OutH(first) + line * kC.up < place.args.out_h
                             ? count
                             : 0;
        const float (&d)[2][4] = sums.d[c][line];
        if (finish.is_f32()) {
#pragma unroll
          for (int n = 0; n < 2; ++n) {
            StoreIf(n * 8 + q * 2 < mine, to + n * 32,
                    Vec<unsigned, 2>{__builtin_bit_cast(unsigned, d[n][half * 2]),
                                     __builtin_bit_cast(unsigned, d[n][half * 2 + 1])});
          }
        } else {
          const unsigned low = Pack<kC.type>(d[0][half * 2], d[0][half * 2 + 1]);
          const unsigned high = Pack<kC.type>(d[1][half * 2], d[1][half * 2 + 1]);
          StoreIf(q * 4 < mine, to, NeighboursOf(low, high));
        }
      }
    }
  }
}

/// Stores a warp's sums with any epilogue.
template <NarrowConfig kC, class Finish>
GRIDWISE_DEVICE void StoreLineElements(const Finish& finish, const NarrowPlace<kC>& place, int h,
                                       int w, const NarrowSums<kC>& sums) {
  constexpr int kPairs = kC.lines * 4;
  const int lane = ThreadId() % 32;
#pragma clang loop unroll(disable)
  for (int i = 0; i < kC.classes() * kPairs; ++i) {
    Vec<float, 2> v = {};
#pragma unroll
    for (int j = 0; j < kC.classes() * kPairs; ++j) {  // registers have no index
      if (j != i) continue;
      const float* const d = sums.d[j / kPairs][j / 4 % kC.lines][j / 2 % 2];
      v = {d[j % 2 * 2], d[j % 2 * 2 + 1]};
    }
    const auto row = place.RowAt(i / kPairs, h + i / 4 % kC.lines, w + lane / 4 + i % 2 * 8);
    finish.Store(v, row, i / 2 % 2 * 8 + lane % 4 * 2);
  }
}

template <NarrowConfig kC>
struct NarrowRoles {
  GRIDWISE_DEVICE static void Init(const HaloArgs& args, SharedAddress base) {
    if (ThreadId() == 0) HaloRing<kC.stages>(args, base).Init(kC.warps);
  }

  GRIDWISE_DEVICE static void Produce(const HaloArgs& args, SharedAddress base) {
    ProducePatches<kC.stages>(args, base);
  }

  GRIDWISE_DEVICE static void Consume(const HaloArgs& args, SharedAddress base) {
    const int warp = ThreadId() / 32, run = warp % 4;
    const HaloWork work(args);
    const NarrowFilter<kC> filter(args, work, run);
    const int piece = run * 16 / kC.channels * (kC.channels / 8) + PieceOfLane();
    const int strips = (args.tile_w + 15) / 16;
    const int items = strips * ((args.tile_h + kC.lines - 1) / kC.lines);
    Ring<kC.stages> ring = HaloRing<kC.stages>(args, base);
    for (int i = work.first; i < work.tiles; i += work.step, ring.Next()) {
      const HaloTileAt tile = FindHaloTile(args, i);
      const NarrowPlace<kC> place = {args, tile, work.block * 64 + run * 16, work.split};
      const Finisher<NarrowPlace<kC>, Element<kC.type>> finish(args.epilogue, place, work.split);
      ring.WaitFull();
      if (warp / 4 >= items) ring.Release(ring.stage());
#pragma clang loop unroll(disable)
      for (int item = warp / 4; item < items; item += kC.parts()) {
        const int h = item / strips * kC.lines, w = item % strips * 16;
        NarrowSums<kC> sums;
        SyncWarp();  // lanes may have parted; the products are of whole warps
        MultiplyLines(sums, args, filter, ring.at(), h * args.pitch + w + CellOfLane(), piece);
        if (item + kC.parts() >= items) {
          SyncWarp();
          ring.Release(ring.stage());
        }
        if (args.mixes) MendLines(sums, place, h, w);
        if (args.stores == Stores::kVectors && finish.is_aligned()) {
          StoreLineVectors(finish, place, h, w, sums);
        } else {
          StoreLineElements(finish, place, h, w, sums);
        }
      }
    }
  }
};

}  // namespace gridwise::hopper
