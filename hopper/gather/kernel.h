// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/gather/args.h"
#include "hopper/kernel/cluster.h"
#include "hopper/kernel/multiply_parts.h"
#include "hopper/kernel/roles.h"
#include "hopper/kernel/store.h"

/// Forward and backward-data as implicit GEMMs: rows are output pixels of all images, columns
/// output channels, K filter taps times source channels. For a tap and 64 channels, TMA gathers the
/// source pixels of a tile's rows (im2col), and fills padding with zeros. Workgroups are persistent
/// and compute tile after tile.

namespace gridwise::hopper {

/// A tile of a sub-GEMM and a group, and the part of K that a workgroup sums.
struct GatherTileAt {
  int index;  // of the sub-GEMM
  int group, split;
  int row, column;  // first row and column
  int first, end;   // steps of K

  GRIDWISE_DEVICE int steps() const { return end - first; }
};

/// Uses few instructions: the producer loads nothing while it finds a tile, and consumers find
/// theirs while they multiply a single k tile.
template <Config kC>
GRIDWISE_DEVICE GatherTileAt FindTile(const GatherArgs& args, int tile) {
  GatherTileAt found = {};
  found.group = Quotient(tile, args.by_tiles);
  tile -= found.group * args.tiles;
  int m_tile = Quotient(tile, args.by_splits);
  found.split = tile - m_tile * args.splits;
  const TileCoord coord = TileCoordOf(args.order, m_tile);
  m_tile = coord.row;
  found.column = coord.column * kC.columns;
  int first_tile = 0, steps = args.steps[0];
  if (args.phases_alternate) {
    // Varies the phase for a workgroup, whose tiles are equally far apart.
    const int of_phase = Quotient(m_tile, args.by_sub_gemms);
    const int shifted = m_tile + of_phase;
    found.index = shifted - Quotient(shifted, args.by_sub_gemms) * args.sub_gemms;
    first_tile = args.gemm[found.index].first_tile;
    steps = args.steps[found.index];
    m_tile = first_tile + of_phase;
  } else if (args.sub_gemms > 1) {
#pragma unroll
    for (int i = 1; i < kMaxPhases; ++i) {
      if (i >= args.sub_gemms || m_tile < args.gemm[i].first_tile) continue;
      found.index = i;
      first_tile = args.gemm[i].first_tile;
      steps = args.steps[i];
    }
  }
  found.row = (m_tile - first_tile) * kC.rows();
  found.end = steps;
  if (args.splits > 1) {
    found.first = Quotient(steps * found.split, args.by_splits);
    found.end = Quotient(steps * (found.split + 1), args.by_splits);
  }
  return found;
}

/// A step of K: a filter tap of a sub-GEMM, and a k tile of channels.
class GatherStep {
 public:
  GRIDWISE_DEVICE GatherStep(const GatherArgs& args, const SubGemm& gemm, int step)
      : args_(args), gemm_(gemm) {
    if (step > 0) {
      const int taps = Taps(gemm);
      int tap = args.channels_outside ? step % taps : step / args.k_tiles;
      k_tile = args.channels_outside ? step / taps : step % args.k_tiles;
      t_[2] = tap % gemm.axis[2].taps;
      tap /= gemm.axis[2].taps;
      t_[1] = tap % gemm.axis[1].taps;
      t_[0] = tap / gemm.axis[1].taps;
    }
    SetAddresses();
  }

  GRIDWISE_DEVICE void Next() {
    if (args_.channels_outside) {
      if (NextTap()) ++k_tile;
    } else if (++k_tile == args_.k_tiles) {
      k_tile = 0;
      NextTap();
    }
  }

  int k_tile = 0;
  int tap;      // of w
  int move[3];  // source pixels from the first tap to this one

 private:
  /// Whether the first follows.
  GRIDWISE_DEVICE bool NextTap() {
    bool is_first = true;
#pragma unroll
    for (int axis = 2; axis >= 0; --axis) {
      if (!is_first) break;
      is_first = ++t_[axis] == gemm_.axis[axis].taps;
      if (is_first) t_[axis] = 0;
    }
    SetAddresses();
    return is_first;
  }
  GRIDWISE_DEVICE void SetAddresses() {
    tap = 0;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      tap = tap * args_.filter[axis] + Tap(gemm_.axis[axis], args_.strides[axis], t_[axis]);
      move[axis] = t_[axis] * args_.strides[axis].tap_source_stride;
    }
  }

  const GatherArgs& args_;
  const SubGemm& gemm_;
  int t_[3] = {0, 0, 0};
};

/// Starts to load the k tile of w for a step.
template <Config kC>
GRIDWISE_DEVICE void LoadB(const GatherArgs& args, const GatherTileAt& tile, const GatherStep& step,
                           SharedAddress to, Mbarrier bar) {
  const int k = step.k_tile * kC.k_tile;
#pragma unroll
  for (int part = 0; part < kC.parts_of_b(); ++part) {
    const SharedAddress of_part = to + part * kC.b_part_bytes();
    if constexpr (kC.direction == Direction::kForward) {
      LoadBox(of_part, args.w[part], bar, k, step.tap, tile.column, tile.group);
    } else {
      const int first = tile.group * args.w_group + step.tap * args.w_tap + tile.column;
#pragma unroll
      for (int n = 0; n < kC.columns; n += 64) {
        LoadBox(of_part + n * kC.b_run_bytes(), args.w[part], bar, first + n, k, 0);
      }
    }
  }
}

/// Starts to load the operand that stays in shared memory: B of all tiles of this workgroup, which
/// have the same columns.
template <Config kC>
GRIDWISE_DEVICE void LoadResident(const GatherArgs& args, const KTileRing<kC>& ring) {
  const GatherTileAt tile = FindTile<kC>(args, BlockIdX());
  const SubGemm gemm = args.gemm[tile.index];
  if (!IsElected()) return;
  ring.resident().ArriveAndExpect(tile.steps() * kC.b_bytes());
  GatherStep step(args, gemm, tile.first);
  for (int i = 0; i < tile.steps(); ++i, step.Next()) {
    LoadB<kC>(args, tile, step, ring.b(i), ring.resident());
  }
}

template <Config kC>
GRIDWISE_DEVICE void ProduceGather(const GatherArgs& args, SharedAddress base) {
  KTileRing<kC> ring(base);
  if constexpr (kC.resident > 0) LoadResident(args, ring);
  for (int i = BlockIdX(); i < args.tiles * args.groups; i += GridSizeX()) {
    const GatherTileAt tile = FindTile<kC>(args, i);
    const SubGemm gemm = args.gemm[tile.index];
    const bool of_group = args.source_groups == SourceGroups::kMaps;
    const TensorMap& source =
        args.source[of_group ? tile.index * args.groups + tile.group : tile.index];
    const PhasePixel pixel = PixelOfRow(gemm, tile.row);
    PixelAt at = SourceOf(gemm, args.strides, pixel);
    if (args.source_groups == SourceGroups::kAxis) {
      at.d = at.image;
      at.image = tile.group;
    }
    const int first_channel =
        args.source_groups == SourceGroups::kWindows ? tile.group * args.k : 0;
    if (tile.steps() == 0) continue;
    GatherStep step(args, gemm, tile.first);
    for (int s = tile.first; s < tile.end; ++s, step.Next()) {
      ring.WaitEmpty();
      const int channel = first_channel + step.k_tile * kC.k_tile;
      if (IsElected()) {
        ring.full().ArriveAndExpect(kC.stage_bytes());
        if (args.has_five_axes) {
          LoadPixels5(ring.a(), source, ring.full(), channel, at, step.move[2], step.move[1],
                      step.move[0]);
        } else {
          LoadPixels4(ring.a(), source, ring.full(), channel, at, step.move[2], step.move[1]);
        }
        if constexpr (kC.resident == 0) LoadB<kC>(args, tile, step, ring.b(0), ring.full());
      }
      ring.Next();
    }
  }
}

/// Recomputes a sum from f32 itself; stops if it becomes NaN.
template <Config kC>
GRIDWISE_DEVICE float SumExactly(const GatherArgs& args, const GatherTileAt& tile,
                                 const PhasePixel& pixel, int column) {
  const SubGemm& gemm = args.gemm[tile.index];
  const ExactArgs& exact = args.exact;
  const int own = Quotient(tile.column + column, exact.by_of_group);  // merged groups
  const int merged = Quotient(args.n, exact.by_of_group);
  const int first = own * exact.of_source_group, end = first + exact.of_source_group;
  const float* const w =
      exact.other + static_cast<long>(tile.group * merged + own) * exact.other_group +
      static_cast<long>(tile.column + column - own * exact.of_group) * exact.other_out;
  const PixelAt at = SourceOf(gemm, args.strides, pixel);
  GatherStep step(args, gemm, tile.first);
  float sum = 0;
#pragma clang loop unroll(disable)
  for (int s = tile.first; s < tile.end && sum == sum; ++s, step.Next()) {
    const float* const x = SourceOf(exact, at, step.move);  // null: zeros
    const int k_tile = step.k_tile * kC.k_tile, k_tile_end = Min(end, k_tile + kC.k_tile);
#pragma clang loop unroll(disable)
    for (int k = first > k_tile ? first : k_tile; k < k_tile_end; ++k) {
      const float source = x == nullptr ? 0 : x[tile.group * exact.source_group + k];
      sum += source * w[static_cast<long>(step.tap) * exact.other_tap +
                        static_cast<long>(k - first) * exact.other_source];
    }
  }
  return sum;
}

/// Where rows and columns of a tile are in tensors of the output's shape, see Finisher.
struct GatherOutputMap {
  const GatherArgs& args;
  const GatherTileAt& tile;

  struct Row {
    bool is_there;
    PhasePixel pixel;
  };
  GRIDWISE_DEVICE const SubGemm& gemm() const { return args.gemm[tile.index]; }
  GRIDWISE_DEVICE Row FindRow(int row) const {
    if (tile.row + row >= gemm().m) return {.is_there = false, .pixel = {}};
    return {.is_there = true, .pixel = PixelOfRow(gemm(), tile.row + row)};
  }
  GRIDWISE_DEVICE long Bytes(const OutputStrides& strides, const Row& row) const {
    long bytes = row.pixel.n * strides.image + tile.group * strides.group;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      const int pixel = OutputPixel(gemm().axis[axis], args.strides[axis], row.pixel.j[axis]);
      bytes += static_cast<long>(pixel) * strides.axis[axis];
    }
    return bytes;
  }
  GRIDWISE_DEVICE int Count(int column) const { return args.n - tile.column - column; }
  GRIDWISE_DEVICE long Column(const OutputStrides& strides, int column) const {
    return static_cast<long>(tile.column + column) * strides.column;
  }
  GRIDWISE_DEVICE bool Has(const Row&, int) const { return true; }
  GRIDWISE_DEVICE float Mend(float v, const Row&, int) const { return v; }
};

/// The same for a kernel's products.
template <Config kC>
struct ProductOutputMap : GatherOutputMap {
  GRIDWISE_DEVICE Row FindRow(int row) const {
    return GatherOutputMap::FindRow(RowOfProduct<kC>(row));
  }
  GRIDWISE_DEVICE float Mend(float v, const Row& row, int column) const {
    if constexpr (kC.has_parts()) return SumExactly<kC>(args, tile, row.pixel, column);
    return v;
  }
};

/// The epilogue's last tensor, for the rows of a warpgroup from `row` of the tile on.
template <Config kC>
GRIDWISE_DEVICE StagedTensor<kC> StagedOf(const GatherArgs& args, const GatherTileAt& tile, int row,
                                          SharedAddress staging) {
  const EpilogueTensorArgs& tensor = args.epilogue.tensor[args.epilogue.tensors - 1];
  const char* const from = static_cast<const char*>(tensor.data) +
                           tile.group * tensor.strides.group +
                           static_cast<long>(tile.row + row) * args.staged_pitch + tile.column * 2;
  return {from, args.staged_pitch, args.gemm[tile.index].m - tile.row - row, args.n - tile.column,
          staging};
}

/// Stores a warpgroup's sums, from `row` of the tile on.
template <Config kC, class Finish>
GRIDWISE_DEVICE void StoreTile(const GatherArgs& args, const GatherTileAt& tile,
                               const Finish& finish, Stores aligned, bool is_staged, int staging,
                               int group, int row, Sums<kC>& sums) {
#pragma unroll
  for (int rep = 0; rep < kC.reps; ++rep) {
    auto& d = sums.d[rep];
    const int first_row = row + rep * 64;
    const Stores stores = StoresOfSums<kC>(aligned, group, d);
    if (stores == Stores::kElements) [[unlikely]] {
      StoreElements<kC.columns>(finish, dynamic_shared_memory + staging, group, first_row, d);
      continue;
    }
    FinishRows<kC.columns, kC.type>(finish, first_row, d, 0, is_staged);
    if constexpr (kC.stores_boxes()) {
      const SharedAddress to = DynamicSharedMemory() + staging;
      const auto store = [&](auto&& prepare) __attribute__((always_inline)) {
        StoreByBoxes<kC>(args.out, to, tile.row + first_row, tile.column, tile.group, d, prepare);
      };
      if constexpr (Finish::kAddsTensors) {
        if (is_staged) [[unlikely]] {
          const StagedTensor<kC> staged = StagedOf<kC>(args, tile, row, to);
          const float scale = args.epilogue.tensor[args.epilogue.tensors - 1].scale;
          store([&](int i, SharedAddress buffer, auto& v) __attribute__((always_inline)) {
            staged.Wait(rep * StagedTensor<kC>::kOfRep + i);
            AddStagedRows<kC.epilogue_columns, kC.type>(buffer, scale, v);
            if (args.epilogue.clamps) ClampSums(args.epilogue, v);
          });
          continue;
        }
      }
      if (stores == Stores::kBoxes) {
        store([](int, SharedAddress, auto&) __attribute__((always_inline)) {
          if (ThreadId() % 32 == 0) WaitStoresRead<kC.buffers() - 1>();
          SyncWarp();
        });
        continue;
      }
    }
    StoreVectors<kC.columns, kC.type>(finish, first_row, d, 0);
  }
}

template <Config kC>
GRIDWISE_DEVICE void ConsumeGather(const GatherArgs& args, SharedAddress base) {
  const int group = WarpgroupId();
  const int staging = kC.staging_at() + group * kC.buffers() * kC.buffer_bytes();
  KTileRing<kC> ring(base);
  int turn = 0;
  GatherTileAt next = FindTile<kC>(args, BlockIdX());
  if constexpr (kC.resident > 0) ring.resident().Wait(0);
  for (int i = BlockIdX(); i < args.tiles * args.groups; i += GridSizeX()) {
    const GatherTileAt tile = next;
    const auto find_next = [&]() __attribute__((always_inline)) {
      if (i + GridSizeX() < args.tiles * args.groups) next = FindTile<kC>(args, i + GridSizeX());
    };
    // Tiles without terms take no turn: the warpgroup that multiplies next stores them meanwhile.
    const bool is_mine = !kC.pingpong || turn % kC.consumers == group;
    const bool has_terms = tile.steps() > 0, follows = turn > 0;
    if (has_terms) ++turn;
    if (!is_mine) {
      ring.Skip(tile.steps());
      find_next();
      continue;
    }
    const ProductOutputMap<kC> output = {{args, tile}};
    using Finish = Finisher<ProductOutputMap<kC>, Element<kC.type>,
                            /*kTensors=*/kC.direction == Direction::kForward>;
    const Finish finish(args.epilogue, output, args.in_cluster ? 0 : tile.split);
    const int row = kC.pingpong ? 0 : group * kC.reps * 64;
    if (!has_terms) {
      StoreZeros<kC.columns, kC.type, kC.reps>(finish, args.stores, dynamic_shared_memory + staging,
                                               group, row);
      find_next();
      continue;
    }
    const Stores aligned = finish.Aligned(args.stores);
    const bool is_staged =
        Finish::kAddsTensors && args.staged_pitch > 0 && aligned == Stores::kBoxes;
    if constexpr (Finish::kAddsTensors && kC.stores_boxes()) {
      if (is_staged) [[unlikely]]
        StagedOf<kC>(args, tile, row, base + staging).Begin();
    }
    if (!is_staged) FetchTensors<kC.columns>(finish, row);
    // Parities only distinguish adjacent phases, not those of a later tile: wait for this one's
    // turn.
    if (kC.pingpong && follows) WaitAt(PingpongBarrier(group), 256);
    Sums<kC> sums;
    const bool is_last = i + GridSizeX() >= args.tiles * args.groups;
    if constexpr (kC.has_parts()) {
      MultiplyParts(sums, ring, tile.steps(), group);
      find_next();
    } else {
      MultiplyKTiles(sums, ring, tile.steps(), group, is_last, find_next);
    }
    if constexpr (kC.has_clusters()) {
      if (args.in_cluster) {
        StoreOfCluster<kC>(finish, args.stores, args.splits, ring, staging, group, row, sums);
        return;  // a workgroup of a cluster has a single tile
      }
    }
    StoreTile<kC>(args, tile, finish, aligned, is_staged, staging, group, row, sums);
  }
  if (ThreadId() % 32 == 0) WaitStoresRead<0>();
}

template <Config kC>
struct GatherRoles {
  GRIDWISE_DEVICE static void Init(const GatherArgs& args, SharedAddress base) {
    Prefetch(args.source[0]);
    Prefetch(args.w[0]);
    const KTileRing<kC> ring(base);
    if constexpr (kC.resident > 0) ring.resident().Init(1);
    if constexpr (kC.has_clusters()) ring.exchanged().Init(1);
    ring.Init(4 * kC.tile_consumers());  // one lane per warp
  }
  GRIDWISE_DEVICE static void Produce(const GatherArgs& args, SharedAddress base) {
    ProduceGather<kC>(args, base);
  }
  GRIDWISE_DEVICE static void Consume(const GatherArgs& args, SharedAddress base) {
    ConsumeGather<kC>(args, base);
  }
};

}  // namespace gridwise::hopper
