#pragma once

#include "ck/arch/memory.h"
#include "tile/block.h"
#include "tile/pipeline_single_lds.h"

namespace gridwise::tile {

/// Rounds the accumulators to the output's type and writes the tile. They go through LDS, a row of
/// matrix instructions of every wave at a time, so that lanes store 16 consecutive bytes.
template <TileConfig kC, Gfx kGfx>
class StoreTile {
 public:
  /// `row_offsets` is LDS of tile.m offsets, which nothing else uses until Store returns.
  GRIDWISE_DEVICE StoreTile(const GatherArgs& args, const Block& block, unsigned* row_offsets)
      : columns_(args.n - block.n), row_offsets_(row_offsets) {
    const long start = block.first_image * args.out_image + block.group * args.out_group;
    tensor_ = Buffer::From<kGfx>(static_cast<char*>(args.out) + start);
    for (int row = ThreadId(); row < kC.tile.m; row += kC.threads()) {
      row_offsets_[row] = RowOffset(args, block, row);
    }
  }

  GRIDWISE_DEVICE void Store(const WaveAcc<kC>& acc, char* lds) const {
    for (int rep = 0; rep < kC.reps_m(); ++rep) {
      BarrierLds();  // the operands, or the previous rows, have been read
      Stage(acc, rep, lds);
      BarrierLds();
      StoreStaged(rep, lds);
    }
  }

 private:
  using Out = Element<kC.type>;
  static constexpr int kVec = kC.vec_out();
  using OutVec = Vec<Out, kVec>;

  /// Bytes from the buffer's start to column block.n of the row; out of range for rows past the
  /// last.
  GRIDWISE_DEVICE static unsigned RowOffset(const GatherArgs& args, const Block& block, int row) {
    if (block.m + row >= block.gemm.m) return Buffer::kOutOfRange;
    const ClassCell cell = CellOfRow(block.gemm, block.m + row);
    int offset =
        (cell.n - block.first_image) * static_cast<int>(args.out_image) + block.n * SizeOf(kC.type);
    for (int a = 0; a < 3; ++a) {
      offset += OutputCell(block.gemm.axis[a], args.steps[a], cell.j[a]) * args.out_cell[a];
    }
    return offset;
  }

  GRIDWISE_DEVICE static void Stage(const WaveAcc<kC>& acc, int rep, char* lds) {
    constexpr int kRun = kC.mma.acc_run();
    const int row = WaveM<kC>() / kC.reps_m() + Lane<kC>() % kC.mma.n;
    for (int n = 0; n < kC.reps_n(); ++n) {
      for (int reg = 0; reg < kC.mma.acc_per_lane(); reg += kRun) {
        Vec<Out, kRun> run;
        for (int e = 0; e < kRun; ++e) run[e] = static_cast<Out>(acc.d[rep][n][reg + e]);
        const int column = WaveN<kC>() + n * kC.mma.m + OwnerOfAcc(kC.mma, Lane<kC>(), reg).row;
        *reinterpret_cast<Vec<Out, kRun>*>(lds + (row * kC.stage_pitch() + column) *
                                                     SizeOf(kC.type)) = run;
      }
    }
  }

  GRIDWISE_DEVICE void StoreStaged(int rep, const char* lds) const {
    constexpr int kVecsPerRow = kC.tile.n / kVec;
    for (int i = ThreadId(); i < kC.stage_rows() * kVecsPerRow; i += kC.threads()) {
      const int row = i / kVecsPerRow, column = i % kVecsPerRow * kVec;
      const int tile_row = row / kC.mma.m * kC.wave_m() + rep * kC.mma.m + row % kC.mma.m;
      struct Halves {
        Vec<Out, kVec / 2> half[2];  // rows are 8-byte aligned
      };
      const OutVec value = __builtin_bit_cast(
          OutVec, *reinterpret_cast<const Halves*>(lds + (row * kC.stage_pitch() + column) *
                                                             SizeOf(kC.type)));
      const unsigned offset = row_offsets_[tile_row] + column * SizeOf(kC.type);
      const unsigned past =
          columns_ - kVec - column;  // negative: the vector ends past the last column
      tensor_.Store(value, offset | (past & Buffer::kOutOfRange));
      if (columns_ % kVec != 0) StoreRagged(value, offset, column);
    }
  }

  /// Stores the elements of a vector that ends past the last column.
  GRIDWISE_DEVICE void StoreRagged(OutVec value, unsigned offset, int column) const {
    for (int e = 0; e < kVec; ++e) {
      const bool last_vector = column < columns_ && columns_ < column + kVec;
      const Out element = value[e];
      tensor_.Store(element, last_vector && column + e < columns_ ? offset + e * SizeOf(kC.type)
                                                                  : Buffer::kOutOfRange);
    }
  }

  const int columns_;  // of the output from the tile's first on
  unsigned* const row_offsets_;
  Buffer tensor_;
};

}  // namespace gridwise::tile
