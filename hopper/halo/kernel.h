// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/halo/args.h"
#include "hopper/halo/config.h"
#include "hopper/kernel/roles.h"
#include "hopper/kernel/store.h"

/// Forward and backward-data of groups of few channels, see hopper/halo/config.h. A workgroup keeps
/// the filter of a block of 64 channels in shared memory, expanded for the products: for each
/// output channel and tap, kC.channels source channels, with zeros for those of other groups.
///
/// Zeros times a NaN or an infinity of another group are NaN, which must not leave its group. One
/// lane therefore recomputes sums that are NaN, from the terms of their own group.

namespace gridwise::hopper {

/// A tile's image and its first pixel, counted in a phase.
struct HaloTileAt {
  int image, d, h, w;
};

GRIDWISE_DEVICE HaloTileAt FindHaloTile(const HaloArgs& args, int tile) {
  const int line = Quotient(tile, args.by_tiles_w), slice = Quotient(line, args.by_tiles_h);
  const int image = Quotient(slice, args.by_out_d);
  return {.image = image,
          .d = slice - image * args.out_d,
          .h = (line - slice * args.tiles_h) * args.tile_h,
          .w = (tile - line * args.tiles_w) * args.tile_w};
}

/// The tiles of this workgroup, which has one block of channels: first, first + step, ...
struct HaloWork {
  int block, first, step, tiles;
  int split;  // of K, which is too short to share: all splits but the first are zeros

  GRIDWISE_DEVICE explicit HaloWork(const HaloArgs& args)
      : block(BlockIdX() % args.blocks),
        first(BlockIdX() / args.blocks % args.workgroups),
        step(args.workgroups),
        tiles(args.tiles_w * args.tiles_h * args.slices),
        split(BlockIdX() / args.blocks / args.workgroups) {}
};

template <int kStages, int kTeams = 1>
GRIDWISE_DEVICE Ring<kStages, kTeams> HaloRing(const HaloArgs& args, SharedAddress base) {
  return Ring<kStages, kTeams>(base, args.stage_bytes, base + args.barriers_at);
}

/// Starts to load the patch of a tile into the ring's stage: the channels from `channel` on, of
/// slices `d` after the first.
template <class AnyRing>
GRIDWISE_DEVICE void LoadPatch(const HaloArgs& args, const AnyRing& ring, int channel,
                               const HaloTileAt& tile, int d = 0) {
  for (int i = 0; i < args.planes; ++i) {
    LoadBox(ring.at() + i * args.plane_bytes, args.source, ring.full(), channel,
            args.origin_w + args.plane_w[i] + tile.w * args.source_step_w,
            args.origin_h + args.plane_h[i] + tile.h * args.source_step_h,
            args.origin_d + args.plane_d[i] + tile.d * args.source_step_d + d, tile.image);
  }
}

/// The source pixel of a tap and a pixel of a tile; null if it is outside the tensor.
template <class T>
GRIDWISE_DEVICE const T* SourceOf(const HaloArgs& args, const HaloTap& tap, const HaloTileAt& tile,
                                  int h, int w) {
  const int from_d = args.origin_d + tile.d * args.source_step_d + tap.d;
  const int from_h = args.origin_h + h * args.source_step_h + tap.h;
  const int from_w = args.origin_w + w * args.source_step_w + tap.w;
  if (from_d < 0 || from_d >= args.source_d || from_h < 0 || from_h >= args.source_h ||
      from_w < 0 || from_w >= args.source_w) {
    return nullptr;
  }
  const PixelStrides& strides = args.source_stride_of;
  return static_cast<const T*>(args.source_data) + tile.image * strides.image +
         static_cast<long>(from_d) * strides.d + static_cast<long>(from_h) * strides.h +
         static_cast<long>(from_w) * strides.w;
}

/// The element of w; null if it is of another group, or in a gap after one.
template <class T>
GRIDWISE_DEVICE const T* FilterOf(const HaloArgs& args, const HaloTap& tap, int out, int source) {
  const int group = out >> args.log_group, mask = args.group_mask;
  if (source >> args.log_group != group || out >= args.channels || (out & mask) >= args.of_group ||
      (source & mask) >= args.of_source_group) {
    return nullptr;
  }
  return static_cast<const T*>(args.other_data) + group * args.w_group +
         static_cast<long>(out & mask) * args.w_out +
         static_cast<long>(source & mask) * args.w_source + tap.z * args.w_z + tap.y * args.w_y +
         tap.x * args.w_x;
}

/// An output channel's sum over the terms of its own group, at pixel h, w of a phase, in the slice
/// of a tile.
template <class T>
GRIDWISE_DEVICE float SumOfGroup(const HaloArgs& args, const HaloTileAt& tile, int residues, int h,
                                 int w, int out) {
  const int first = out >> args.log_group << args.log_group, end = args.phase_end[residues];
  float v = 0;
#pragma clang loop unroll(disable)
  for (int tap = residues == 0 ? 0 : args.phase_end[residues - 1]; tap < end; ++tap) {
    const T* const x = SourceOf<T>(args, args.tap[tap], tile, h, w);
#pragma clang loop unroll(disable)
    for (int c = first; c < first + args.of_source_group; ++c) {
      const float source = x == nullptr ? 0 : static_cast<float>(x[c]);
      v += source * static_cast<float>(*FilterOf<T>(args, args.tap[tap], out, c));
    }
  }
  return v;
}

/// Where shared memory has the filter's element of a tap and of an output and a source channel of
/// the products, swizzled as RunsAlongK needs.
template <HaloConfig kC>
GRIDWISE_DEVICE char* FilterAddress(const HaloArgs& args, int tap, int out, int source) {
  const int byte = ((tap * 64 + out) * kC.channels + source) * SizeOf(kC.type);
  return dynamic_shared_memory + args.filter_at +
         (byte ^ ((byte >> 7 & (kC.run_bytes() / 16 - 1)) << 4));
}

/// The source channel, in its block, of an output channel's products.
template <HaloConfig kC>
GRIDWISE_DEVICE int SourceOfProduct(int out, int source) {
  return out / kC.channels * kC.channels + source;
}

/// FillFilter if 16 bytes of adjacent channels of w can be loaded at once: source channels in
/// forward, output channels in backward-data.
template <HaloConfig kC>
GRIDWISE_DEVICE void FillFilterByRuns(const HaloArgs& args, int block, bool is_zero) {
  using T = Element<kC.type>;
  constexpr bool kOfOutputs = kC.direction == Direction::kBackwardData;
  constexpr int kThreads = 128 * kC.warpgroups(), kBatch = 3;
  constexpr int kRun = 16 / SizeOf(kC.type), kOfTap = 64 / kRun * kC.channels;
  constexpr int kSources = kOfOutputs ? kC.channels : kC.channels / kRun;
  constexpr int kOut = kOfOutputs ? kRun : 1, kSource = kOfOutputs ? 1 : kRun;  // from run to run
  const int count = args.phase_end[kC.phases() - 1] * kOfTap;
#pragma clang loop unroll(disable)
  for (int first = ThreadId(); first < count; first += kBatch * kThreads) {
    Vec<unsigned, 4> value[kBatch];  // loads that do not wait for each other
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const int at = first + i * kThreads;
      const int out = at % kOfTap / kSources * kOut, source = at % kSources * kSource;
      value[i] = Vec<unsigned, 4>{};
      if (at >= count || is_zero) continue;
      const T* const w = FilterOf<T>(args, args.tap[at / kOfTap], block * 64 + out,
                                     block * 64 + SourceOfProduct<kC>(out, source));
      if (w != nullptr) value[i] = *reinterpret_cast<const Vec<unsigned, 4>*>(w);
    }
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const int at = first + i * kThreads;
      const int out = at % kOfTap / kSources * kOut, source = at % kSources * kSource;
      if (at >= count) continue;
      if constexpr (kOfOutputs) {
#pragma unroll
        for (int e = 0; e < kRun; ++e) {
          *reinterpret_cast<unsigned short*>(
              FilterAddress<kC>(args, at / kOfTap, out + e, source)) =
              static_cast<unsigned short>(value[i][e / 2] >> (e % 2 * 16));
        }
      } else {
        *reinterpret_cast<Vec<unsigned, 4>*>(FilterAddress<kC>(args, at / kOfTap, out, source)) =
            value[i];
      }
    }
  }
}

/// Puts zeros where the filter will be. Called by all consumer threads.
template <HaloConfig kC>
GRIDWISE_DEVICE void ZeroFilter(const HaloArgs& args, int taps) {
  constexpr int kThreads = 128 * kC.warpgroups();
  auto* const words = reinterpret_cast<Vec<unsigned, 4>*>(dynamic_shared_memory + args.filter_at);
  const int count = kC.filter_bytes(taps) / 16;
#pragma clang loop unroll(disable)
  for (int i = ThreadId(); i < count; i += kThreads) words[i] = Vec<unsigned, 4>{};
  WaitAt(StoreBarrier(6), kThreads);
}

/// Puts the filter of a block of channels into shared memory, [tap][output][source channel]. Called
/// by all consumer threads.
template <HaloConfig kC>
GRIDWISE_DEVICE void FillFilter(const HaloArgs& args, int block, bool is_zero) {
  using T = Element<kC.type>;
  constexpr int kRun = kC.channels, kThreads = 128 * kC.warpgroups(), kBatch = 18;
  constexpr int kLogRun = __builtin_ctz(kRun);
  if (args.filter_runs && reinterpret_cast<unsigned long>(args.other_data) % 16 == 0) {
    FillFilterByRuns<kC>(args, block, is_zero);
    return;
  }
  const int taps = args.phase_end[kC.phases() - 1];
  // The source channels of a product that belong to the output channel's group; others are zeros.
  const int log_own = args.log_group < kLogRun ? args.log_group : kLogRun, own = 1 << log_own;
  if (own < kRun) ZeroFilter<kC>(args, taps);
  const int count = taps * 64 << log_own;
  struct FilterElement {
    int tap, out, source;
  };
  const auto element_of = [&](int at) -> FilterElement {
    const int out = at >> log_own & 63;
    return {at >> (log_own + 6), out, (out & (kRun - 1) & -own) + (at & (own - 1))};
  };
#pragma clang loop unroll(disable)
  for (int first = ThreadId(); first < count; first += kBatch * kThreads) {
    T value[kBatch];
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const int at = first + i * kThreads;
      value[i] = 0;
      if (at >= count) continue;
      const auto [tap, out, source] = element_of(at);
      const T* const w = FilterOf<T>(args, args.tap[tap], block * 64 + out,
                                     block * 64 + SourceOfProduct<kC>(out, source));
      if (w != nullptr && !is_zero) value[i] = *w;
    }
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const int at = first + i * kThreads;
      if (at >= count) continue;
      const auto [tap, out, source] = element_of(at);
      *reinterpret_cast<T*>(FilterAddress<kC>(args, tap, out, source)) = value[i];
    }
  }
}

/// Sums of a thread: for pixels 64 * rep of its warpgroup and all 64 channels.
template <HaloConfig kC>
struct HaloSums {
  Element<SumType(kC.type)> d[kC.phases()][kC.reps][32];
};

/// Starts the products of all groups at a tap, for pixels that begin at `a`.
template <HaloConfig kC, bool kFirst>
GRIDWISE_DEVICE void StartTap(Element<SumType(kC.type)> (&d)[kC.reps][32], MatrixDescriptor a,
                              MatrixDescriptor b) {
  constexpr int kRun = kC.channels, kSums = kRun / 2, kStepBytes = 32;
  using Sums = Element<SumType(kC.type)>[kSums];
#pragma unroll
  for (int rep = 0; rep < kC.reps; ++rep) {
#pragma unroll
    for (int step = 0; step < kC.run_bytes() / kStepBytes; ++step) {
#pragma unroll
      for (int run = 0; run < 64 / kRun; ++run) {
        auto& sums = *reinterpret_cast<Sums*>(&d[rep][run * kSums]);
        Wgmma<kRun, kC.type, OperandOrder::kRunsAlongK, OperandOrder::kRunsAlongK>(
            sums, Moved(a, rep * 64 * kC.pixel_bytes() + run * kC.run_bytes() + step * kStepBytes),
            Moved(b, run * kRun * kC.run_bytes() + step * kStepBytes), !kFirst || step != 0);
      }
    }
  }
}

template <HaloConfig kC>
GRIDWISE_DEVICE void MultiplyTaps(HaloSums<kC>& sums, const HaloArgs& args, SharedAddress pixels,
                                  SharedAddress filter) {
  constexpr int kTapBytes = kC.filter_bytes(1);
  const MatrixDescriptor a = RunsAlongK<kC.pixel_bytes()>(OfWarp(pixels));
  const MatrixDescriptor b = RunsAlongK<kC.run_bytes()>(OfWarp(filter));
  WgmmaFence();
  if constexpr (kC.filter == 0) {
    StartTap<kC, true>(sums.d[0], Moved(a, args.tap[0].at), b);
#pragma clang loop unroll(disable)
    for (int tap = 1; tap < args.phase_end[0]; ++tap) {
      StartTap<kC, false>(sums.d[0], Moved(a, args.tap[tap].at), Moved(b, tap * kTapBytes));
    }
  } else {
    int tap = 0;
#pragma unroll
    for (int i = 0; i < kC.phases(); ++i) {
      StartTap<kC, true>(sums.d[i], Moved(a, args.tap[tap].at), Moved(b, tap * kTapBytes));
      ++tap;
#pragma unroll
      for (int t = 1; t < kC.taps_of_phase(i); ++t, ++tap) {
        StartTap<kC, false>(sums.d[i], Moved(a, args.tap[tap].at), Moved(b, tap * kTapBytes));
      }
    }
  }
  WgmmaCommit();
  WgmmaWait<0>();
#pragma unroll
  for (auto& of_phase : sums.d) {
#pragma unroll
    for (auto& of_rep : of_phase) Touch(of_rep);
  }
}

/// Where rows (phase * kC.pixels() + pixel of a tile) and columns are, see Finisher.
template <HaloConfig kC>
struct HaloOutputMap {
  static constexpr bool kHasGroups = true;
  const HaloArgs& args;
  const HaloTileAt& tile;
  int block, split;

  struct Row {
    bool is_there;
    int residues, h, w;  // its phase; the pixel, counted in the phase
  };
  GRIDWISE_DEVICE Row FindRow(int row) const {
    const int residues = row / kC.pixels(), pixel = row - residues * kC.pixels();
    const int h = Quotient(pixel, args.by_pitch), w = pixel - h * args.pitch;
    Row found = {.is_there = h < args.tile_h && w < args.tile_w,
                 .residues = residues,
                 .h = tile.h + h,
                 .w = tile.w + w};
    found.is_there = found.is_there && OutH(found) < args.out_h && OutW(found) < args.out_w;
    return found;
  }
  GRIDWISE_DEVICE int OutH(const Row& row) const {
    return row.h * kC.up + (row.residues / kC.up ^ args.flip_h);
  }
  GRIDWISE_DEVICE int OutW(const Row& row) const {
    return row.w * kC.up + (row.residues % kC.up ^ args.flip_w);
  }
  GRIDWISE_DEVICE long Bytes(const OutputStrides& strides, const Row& row) const {
    return tile.image * strides.image + static_cast<long>(tile.d) * strides.axis[0] +
           static_cast<long>(OutH(row)) * strides.axis[1] +
           static_cast<long>(OutW(row)) * strides.axis[2];
  }
  GRIDWISE_DEVICE int Count(int) const { return args.channels - block * 64; }
  GRIDWISE_DEVICE int OfGroup(int column) const { return (block * 64 + column) & args.group_mask; }
  GRIDWISE_DEVICE long Column(const OutputStrides& strides, int column) const {
    return ((block * 64 + column) >> args.log_group) * strides.group +
           static_cast<long>(OfGroup(column)) * strides.column;
  }
  GRIDWISE_DEVICE bool Has(const Row&, int column) const { return OfGroup(column) < args.of_group; }
  GRIDWISE_DEVICE float Mend(float v, const Row& row, int column) const {
    if (split > 0) return 0;
    if (!args.mixes) return v;
    return SumOfGroup<Element<kC.type>>(args, tile, row.residues, row.h, row.w,
                                        block * 64 + column);
  }
};

/// A bit mask: whether a thread's row of 8 * half, plus 2 rep, is a pixel of its tile. Other rows
/// belong to pixels that nobody loaded.
template <HaloConfig kC>
GRIDWISE_DEVICE unsigned RowsOfTile(const HaloArgs& args, int warpgroup) {
  unsigned rows = 0;
#pragma unroll
  for (int i = 0; i < kC.reps * 2; ++i) {
    const int pixel = (warpgroup * kC.reps + i / 2) * 64 + ThreadId() % 128 / 32 * 16 +
                      ThreadId() % 32 / 4 + i % 2 * 8;
    const int h = Quotient(pixel, args.by_pitch);
    if (h < args.tile_h && pixel - h * args.pitch < args.tile_w) rows |= 1u << i;
  }
  return rows;
}

/// Whether this thread has a sum that is not finite in one of these instances.
template <HaloConfig kC>
GRIDWISE_DEVICE bool HasNonFinite(const HaloSums<kC>& sums, unsigned rows) {
  bool found = false;
#pragma unroll
  for (int row = 0; row < kC.reps * 2; ++row) {
    float zero[2] = {};  // times zero, such sums are NaN
#pragma unroll
    for (int i = 0; i < kC.phases(); ++i) {
#pragma unroll
      for (int j = row % 2 * 2; j < 32; j += 4) {
        zero[0] = __builtin_fmaf(sums.d[i][row / 2][j], 0, zero[0]);
        zero[1] = __builtin_fmaf(sums.d[i][row / 2][j + 1], 0, zero[1]);
      }
    }
    const float both = zero[0] + zero[1];
    found |= both != both && (rows >> row & 1) != 0;
  }
  return found;
}

/// Where a thread's rows lie in its team's staging, for StoreMatrix4: a tile's pixels line after
/// line of the output, as its box is stored, with phases next to each other. Pixels that are in no
/// tile lie after the last one that is. There is room, since they have rows as well.
template <HaloConfig kC>
class StagedRows {
 public:
  GRIDWISE_DEVICE StagedRows(const HaloArgs& args, int warpgroup)
      : line_(args.tile_w * kC.up), end_(args.tile_h * kC.up * line_) {
#pragma unroll
    for (int rep = 0; rep < kC.reps; ++rep) {
      const int pixel =
          (warpgroup * kC.reps + rep) * 64 + ThreadId() % 128 / 32 * 16 + ThreadId() % 16;
      const int h = Quotient(pixel, args.by_pitch), w = pixel - h * args.pitch;
      first_[rep] = h < args.tile_h && w < args.tile_w ? h * kC.up * line_ + w * kC.up : end_;
    }
  }
  /// The offset of output pixel y, x among those that a tile's pixel has.
  GRIDWISE_DEVICE int At(int rep, int y, int x) const {
    return kC.up == 1 || first_[rep] == end_ ? first_[rep] : first_[rep] + y * line_ + x;
  }

 private:
  int line_, end_;
  int first_[kC.reps];
};

/// TMA stores a team's tile from shared memory.
template <HaloConfig kC>
GRIDWISE_DEVICE void StoreHaloBox(const HaloArgs& args, const HaloTileAt& tile, int block,
                                  SharedAddress staging, int warpgroup, int barrier, bool is_first,
                                  HaloSums<kC>& sums) {
  const int lane = ThreadId() % 32;
  const StagedRows<kC> rows(args, warpgroup);  // recomputed for each tile: registers are few
#pragma unroll
  for (int i = 0; i < kC.phases(); ++i) {
#pragma unroll
    for (int rep = 0; rep < kC.reps; ++rep) {
      auto& d = sums.d[i][rep];
      FinishSums(args.epilogue, d);
      const int row = rows.At(rep, i / kC.up ^ args.flip_h, i % kC.up ^ args.flip_w);
#pragma unroll
      for (int j = 0; j < 8; j += 2) {
        const float* const v = d + j * 4;
        StoreMatrix4(staging + row * 128 + ((j + lane / 16) ^ (row & 7)) * 16,
                     Pack<kC.type>(v[0], v[1]), Pack<kC.type>(v[2], v[3]),
                     Pack<kC.type>(v[4], v[5]), Pack<kC.type>(v[6], v[7]));
      }
    }
  }
  FenceAsyncProxy();
  WaitAt(barrier, 128 * kC.consumers);
  if (!is_first) return;
  StoreBox(args.other, staging, block * 64, tile.w * kC.up, tile.h * kC.up, tile.d, tile.image);
  CommitStores();
}

template <HaloConfig kC>
struct HaloRoles {
  static constexpr int kTeam = 128 * kC.consumers;

  GRIDWISE_DEVICE static void Init(const HaloArgs& args, SharedAddress base) {
    RingOf(args, base).Init(4 * kC.consumers);
  }

  GRIDWISE_DEVICE static auto RingOf(const HaloArgs& args, SharedAddress base) {
    return HaloRing<kC.stages, kC.full_barriers()>(args, base);
  }

  GRIDWISE_DEVICE static void Produce(const HaloArgs& args, SharedAddress base) {
    const HaloWork work(args);
    auto ring = RingOf(args, base);
    for (int i = work.first; i < work.tiles; i += work.step, ring.Next()) {
      ring.WaitEmpty();
      if (!IsElected()) continue;
      ring.full().ArriveAndExpect(args.planes * args.box_bytes);
      LoadPatch(args, ring, work.block * 64, FindHaloTile(args, i));
    }
  }

  GRIDWISE_DEVICE static void Consume(const HaloArgs& args, SharedAddress base) {
    const int group = WarpgroupId(), team = group / kC.consumers;
    const int warpgroup = group % kC.consumers, barrier = PingpongBarrier(team);
    const bool is_first = ThreadId() % kTeam == 0;
    const HaloWork work(args);
    FillFilter<kC>(args, work.block, /*is_zero=*/work.split > 0);
    FenceAsyncProxy();
    WaitAt(StoreBarrier(6), 128 * kC.warpgroups());
    auto ring = RingOf(args, base);
    int turn = 0;
    const unsigned rows = RowsOfTile<kC>(args, warpgroup);
    for (int i = work.first; i < work.tiles; i += work.step, ++turn, ring.Next()) {
      if (turn % kC.teams != team) continue;
      const HaloTileAt tile = FindHaloTile(args, i);
      ring.WaitFull();
      HaloSums<kC> sums;
      MultiplyTaps(sums, args, ring.at() + warpgroup * kC.reps * 64 * kC.pixel_bytes(),
                   base + args.filter_at);
      ring.Release(ring.stage());
      if (is_first && args.buffers == 1) WaitStoresRead<0>();
      if (is_first && args.buffers == 2) WaitStoresRead<1>();
      const int buffer = args.buffers == 1 ? 0 : turn / kC.teams % 2;
      const int staging = args.staging_at + (team * args.buffers + buffer) * kC.staging_bytes();
      bool mends = false;
      if constexpr (SizeOf(kC.type) == 2) {
        mends = AnyAt(barrier, kTeam, args.mixes && HasNonFinite(sums, rows));
        if (args.stores == Stores::kBoxes && !mends) {
          StoreHaloBox(args, tile, work.block, base + staging, warpgroup, barrier, is_first, sums);
          continue;
        }
      }
      const HaloOutputMap<kC> output = {args, tile, work.block, work.split};
      constexpr bool kTensors = kC.direction == Direction::kForward;
      const Finisher<HaloOutputMap<kC>, Element<kC.type>, kTensors> finish(args.epilogue, output,
                                                                           work.split);
#pragma unroll
      for (int c = 0; c < kC.phases(); ++c) {
#pragma unroll
        for (int rep = 0; rep < kC.reps; ++rep) {
          StoreByLanes<64, kC.type>(finish, mends ? Stores::kElements : args.stores,
                                    dynamic_shared_memory + staging + warpgroup * 8192, group,
                                    c * kC.pixels() + (warpgroup * kC.reps + rep) * 64,
                                    sums.d[c][rep]);
        }
      }
      if (is_first) CommitStores();  // empty, when it is this team's turn
    }
    if (is_first) WaitStoresRead<0>();
  }
};

}  // namespace gridwise::hopper
