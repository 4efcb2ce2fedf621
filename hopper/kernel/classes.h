#pragma once

#include "core/arch/warp_mma.h"
#include "hopper/classes.h"
#include "hopper/kernel/gather.h"

/// See hopper/classes.h.

namespace gridwise::hopper {

/// Tiles of a workgroup, all of the same columns.
struct ClassTiles {
  GRIDWISE_DEVICE explicit ClassTiles(const GatherArgs& args)
      : sharers(GridSizeX() / args.splits),
        split(BlockIdX() / sharers),
        first(BlockIdX() - split * sharers) {}

  int sharers;
  int split;  // of K, which is too short to share: those behind the first are zeros
  int first;
};

/// The cells of dy that a product has, from those of the rows on.
struct ClassMove {
  int h, w;
};
template <int kProduct>
GRIDWISE_DEVICE ClassMove MoveOf(const GatherArgs& args) {
  constexpr ClassProduct kOf = kClassProducts[kProduct];
  const SubGemm& joint = args.gemm[kJointGemm];
  // Where the classes of one tap begin: class 0 is one along h, class 2 along w.
  const int h = args.gemm[0].axis[1].first_source - joint.axis[1].first_source;
  const int w = args.gemm[2].axis[2].first_source - joint.axis[2].first_source;
  return {.h = kOf.only_h ? 1 - h : h, .w = kOf.only_w ? 1 - w : w};
}

/// The tap of w with which a class meets these cells.
GRIDWISE_DEVICE int TapOf(const GatherArgs& args, int of_class, ClassMove move) {
  const SubGemm &gemm = args.gemm[of_class], &joint = args.gemm[kJointGemm];
  const int h = move.h - (gemm.axis[1].first_source - joint.axis[1].first_source);
  const int w = move.w - (gemm.axis[2].first_source - joint.axis[2].first_source);
  return Tap(gemm.axis[1], args.strides[1], h) * args.filter[2] +
         Tap(gemm.axis[2], args.strides[2], w);
}

template <ClassesConfig kC>
class ClassRing : public Ring<kC.stages> {
 public:
  GRIDWISE_DEVICE explicit ClassRing(SharedAddress base)
      : Ring<kC.stages>(base, kC.kBlockBytes, base + kC.barriers_at()), base_(base) {}

  /// A block of w: 64 columns of a class at a tap, of a slab.
  GRIDWISE_DEVICE SharedAddress w(int slab, int block) const {
    return base_ + kC.kept_at() + (slab * kC.kTaps + block) * kC.kBlockBytes;
  }
  /// Counts the bytes of w.
  GRIDWISE_DEVICE Mbarrier kept() const { return {base_ + kC.kept_barrier_at()}; }

 private:
  SharedAddress base_;
};

template <ClassesConfig kC, int kProduct>
GRIDWISE_DEVICE void LoadClassBlocks(const GatherArgs& args, const ClassRing<kC>& ring, int column,
                                     int slab) {
  constexpr ClassProduct kOf = kClassProducts[kProduct];
  const ClassMove move = MoveOf<kProduct>(args);
#pragma unroll
  for (int i = 0; i < kOf.classes; ++i) {
    LoadBox(ring.w(slab, kOf.first_block + i), args.w[0], ring.kept(), column,
            TapOf(args, kOf.first_class + i, move), slab * 64, 0);
  }
}

template <ClassesConfig kC, int kProduct>
GRIDWISE_DEVICE void LoadClassCells(const GatherArgs& args, ClassRing<kC>& ring, CellAt at,
                                    int slab) {
  const ClassMove move = MoveOf<kProduct>(args);
  ring.WaitEmpty();
  if (IsElected()) {
    ring.full().ArriveAndExpect(kC.kBlockBytes);
    LoadCells4(ring.at(), args.source[0], ring.full(), slab * 64, at, move.w, move.h);
  }
  ring.Next();
}

template <ClassesConfig kC>
GRIDWISE_DEVICE void ProduceClasses(const GatherArgs& args, SharedAddress base) {
  const ClassTiles tiles(args);
  if (tiles.split > 0) return;
  ClassRing<kC> ring(base);
  const int column = PlaceOf(args.order, tiles.first).column * 64;
  if (IsElected()) {
    ring.kept().ArriveAndExpect(args.slabs * kC.kTaps * kC.kBlockBytes);
    for (int slab = 0; slab < args.slabs; ++slab) {
      LoadClassBlocks<kC, 0>(args, ring, column, slab);
      LoadClassBlocks<kC, 1>(args, ring, column, slab);
      LoadClassBlocks<kC, 2>(args, ring, column, slab);
      LoadClassBlocks<kC, 3>(args, ring, column, slab);
    }
  }
  const SubGemm joint = args.gemm[kJointGemm];
  for (int i = tiles.first; i < args.tiles; i += tiles.sharers) {
    const int row = PlaceOf(args.order, i).row * kC.kRows;
    const CellAt at = SourceOf(joint, args.strides, CellOfRow(joint, row));
    for (int slab = 0; slab < args.slabs; ++slab) {
      LoadClassCells<kC, 0>(args, ring, at, slab);
      LoadClassCells<kC, 1>(args, ring, at, slab);
      LoadClassCells<kC, 2>(args, ring, at, slab);
      LoadClassCells<kC, 3>(args, ring, at, slab);
    }
  }
}

template <ClassesConfig kC>
using ClassSums = float[kC.kClasses][32];

/// 64 source channels of this thread's rows of A.
using ClassRows = Matrices4[4];

/// Starts a product of a slab, whose cells come from `ring` into `rows`, and are free there. (From
/// shared memory, products of 64 columns would wait for both operands.)
template <ClassesConfig kC, int kProduct, bool kFirst = false>
GRIDWISE_DEVICE void StartProduct(ClassSums<kC>& sums, ClassRows& rows, ClassRing<kC>& ring,
                                  int slab) {
  constexpr ClassProduct kOf = kClassProducts[kProduct];
  const int lane = ThreadId() % 32, row = ThreadId() % 128 / 32 * 16 + lane % 16;
  const SharedAddress a = ring.at() + row * 128, w = ring.w(slab, kOf.first_block);
  ring.WaitFull();
  SyncWarp();
#pragma unroll
  for (int k16 = 0; k16 < 4; ++k16) {
    rows[k16] = LoadMatrices4(a + ((k16 * 2 + lane / 16) ^ (row & 7)) * 16);
  }
  // Nothing has waited for these loads, and without a fence what the copy engine loads next would
  // overtake them.
  FenceAsyncProxy();
  SyncWarp();
  ring.Release(ring.stage());
  ring.Next();
  WgmmaFence();
#pragma unroll
  for (int k16 = 0; k16 < 4; ++k16) {
#pragma unroll
    for (int i = 0; i < kOf.classes; ++i) {
      WgmmaOfRegisters<64, kC.type, OperandOrder::kLinesPerK>(
          sums[kOf.first_class + i], rows[k16].part, LinesPerK(w + i * kC.kBlockBytes + k16 * 2048),
          !kFirst || k16 != 0);
    }
  }
  WgmmaCommit();
}
/// When the product before the last is done, and its rows can be overwritten.
template <ClassesConfig kC, int kProduct>
GRIDWISE_DEVICE void NextProduct(ClassSums<kC>& sums, ClassRows (&rows)[2], ClassRing<kC>& ring,
                                 int slab) {
  WgmmaWait<1>();
  StartProduct<kC, kProduct>(sums, rows[kProduct % 2], ring, slab);
}

/// The sums of a tile: the first product, of all classes, begins them.
template <ClassesConfig kC>
GRIDWISE_DEVICE void MultiplyClasses(ClassSums<kC>& sums, ClassRing<kC>& ring, int slabs,
                                     int group) {
  ClassRows rows[2];
  StartProduct<kC, 0, /*kFirst=*/true>(sums, rows[0], ring, 0);
  StartProduct<kC, 1>(sums, rows[1], ring, 0);
  NextProduct<kC, 2>(sums, rows, ring, 0);
  NextProduct<kC, 3>(sums, rows, ring, 0);
  for (int slab = 1; slab < slabs; ++slab) {
    NextProduct<kC, 0>(sums, rows, ring, slab);
    NextProduct<kC, 1>(sums, rows, ring, slab);
    NextProduct<kC, 2>(sums, rows, ring, slab);
    NextProduct<kC, 3>(sums, rows, ring, slab);
  }
  ArriveAt(TurnBarrier(group ^ 1), 256);  // the other's products can begin
  WgmmaWait<0>();
#pragma unroll
  for (int i = 0; i < kC.kClasses; ++i) Touch(sums[i]);
}

/// The copy engine stores the classes of a tile, each warp its own 16 rows.
template <ClassesConfig kC>
GRIDWISE_DEVICE void StoreClassesByBoxes(const GatherArgs& args, SharedAddress staging,
                                         TilePlace at, ClassSums<kC>& sums) {
  const SubGemm& joint = args.gemm[kJointGemm];
  const int lane = ThreadId() % 32, of_warp = ThreadId() % 128 / 32 * 16;
  const int row = at.row * kC.kRows + of_warp;
  const ClassCell cell = CellOfRow(joint, row);
#pragma unroll
  for (int i = 0; i < kC.kClasses; ++i) {
    FinishSums(args.epilogue, sums[i]);
    const SharedAddress buffer = staging + i % 2 * kC.kBlockBytes + of_warp * 128;
    if (lane == 0) WaitStoresRead<1>();
    SyncWarp();
    StageRows<64, kC.type>(buffer, sums[i]);
    FenceAsyncProxy();
    SyncWarp();
    if (lane == 0) {
      if (row < joint.m) {
        StoreCells4(args.source[kClassMaps + i], buffer, at.column * 64,
                    {.w = cell.j[2], .h = cell.j[1], .d = 0, .image = cell.n});
      }
      CommitStores();
    }
  }
}

/// Rows are of any class: a class may have fewer cells along an axis.
struct ClassPlace : GatherPlace {
  GRIDWISE_DEVICE Row FindRow(int row) const {
    const SubGemm& joint = args.gemm[kJointGemm];
    if (tile.row + row >= joint.m) return {.is_there = false, .cell = {}};
    const ClassCell cell = CellOfRow(joint, tile.row + row);
    return {.is_there = cell.j[1] < gemm().axis[1].count && cell.j[2] < gemm().axis[2].count,
            .cell = cell};
  }
};

template <ClassesConfig kC>
GRIDWISE_DEVICE void ConsumeClasses(const GatherArgs& args, SharedAddress base) {
  const ClassTiles tiles(args);
  const int group = WarpgroupId();
  const int staging = kC.staging_at() + group * 2 * kC.kBlockBytes;
  // Calls store(finisher, class) of each class.
  const auto of_classes = [&](TilePlace at, auto&& store) __attribute__((always_inline)) {
#pragma unroll
    for (int i = 0; i < kC.kClasses; ++i) {
      GatherTileAt of_class = {};
      of_class.index = i;
      of_class.row = at.row * kC.kRows;
      of_class.column = at.column * 64;
      const ClassPlace place = {{args, of_class}};
      store(Finisher<ClassPlace, Element<kC.type>>(args.epilogue, place, tiles.split), i);
    }
  };
  ClassRing<kC> ring(base);
  int turn = 0;
  for (int i = tiles.first; i < args.tiles; i += tiles.sharers, ++turn) {
    if (turn % 2 != group) {
      ring.Skip(args.slabs * kProductsOfSlab);
      continue;
    }
    const TilePlace at = PlaceOf(args.order, i);
    if (tiles.split > 0) {
      of_classes(at, [&](const auto& finish, int) __attribute__((always_inline)) {
        StoreZeros<64, kC.type, 1>(finish, args.stores, dynamic_shared_memory + staging, group, 0);
      });
      continue;
    }
    if (turn < 2) ring.kept().Wait(0);
    if (turn > 0) WaitAt(TurnBarrier(group), 256);
    ClassSums<kC> sums;
    MultiplyClasses<kC>(sums, ring, args.slabs, group);
    if (args.stores == Stores::kBoxes) {
      StoreClassesByBoxes<kC>(args, base + staging, at, sums);
      continue;
    }
    of_classes(at, [&](const auto& finish, int of_class) __attribute__((always_inline)) {
      StoreByLanes<64, kC.type>(finish, args.stores, dynamic_shared_memory + staging, group, 0,
                                sums[of_class]);
    });
  }
  if (ThreadId() % 32 == 0) WaitStoresRead<0>();
}

template <ClassesConfig kC>
struct ClassesRoles {
  GRIDWISE_DEVICE static void Init(const GatherArgs& args, SharedAddress base) {
    Prefetch(args.source[0]);
    Prefetch(args.w[0]);
    const ClassRing<kC> ring(base);
    ring.kept().Init(1);
    ring.Init(4);  // a lane of every warp
  }
  GRIDWISE_DEVICE static void Produce(const GatherArgs& args, SharedAddress base) {
    ProduceClasses<kC>(args, base);
  }
  GRIDWISE_DEVICE static void Consume(const GatherArgs& args, SharedAddress base) {
    ConsumeClasses<kC>(args, base);
  }
};

}  // namespace gridwise::hopper
