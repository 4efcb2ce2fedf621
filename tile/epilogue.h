#pragma once

#include "ck/arch/memory.h"
#include "tile/block.h"
#include "tile/pipeline_single_lds.h"

namespace gridwise::tile {

/// Rounds the accumulators to f16 and writes the tile to dx. They go through LDS, a row of matrix
/// instructions of every wave at a time, so that lanes store 16 consecutive bytes.
template <TileConfig kC, Gfx kGfx>
class StoreDx {
 public:
  /// `row_offsets` is LDS of tile.m offsets, which nothing else uses until Store returns.
  GRIDWISE_DEVICE StoreDx(const BwdDataArgs& args, const Block& block, unsigned* row_offsets)
      : columns_(args.c - block.n), row_offsets_(row_offsets) {
    const long start = (block.first_image * args.dx_image + long{block.group} * args.c) * 2;
    tensor_ = Buffer::From<kGfx>(static_cast<char*>(args.dx) + start);
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
  /// Bytes from the buffer's start to column block.n of the row; out of range for rows past the
  /// last.
  GRIDWISE_DEVICE static unsigned RowOffset(const BwdDataArgs& args, const Block& block, int row) {
    if (block.m + row >= block.gemm.m) return Buffer::kOutOfRange;
    const ClassCell cell = CellOfRow(block.gemm, block.m + row);
    int pixel = 0;
    for (int i = 0; i < 3; ++i) {
      pixel = pixel * args.in[i] + InCell(block.gemm.axis[i], args.stride[i], cell.j[i]);
    }
    const int image = (cell.n - block.first_image) * static_cast<int>(args.dx_image);
    return (image + pixel * args.dx_pixel + block.n) * 2;
  }

  GRIDWISE_DEVICE static void Stage(const WaveAcc<kC>& acc, int rep, char* lds) {
    const int row = WaveM<kC>() / kC.reps_m() + Lane() % kC.mma.n;
    for (int n = 0; n < kC.reps_n(); ++n) {
      for (int reg = 0; reg < AccPerLane(kC.mma); reg += 4) {
        Vec<Half, 4> run;
        for (int e = 0; e < 4; ++e) run[e] = static_cast<Half>(acc.d[rep][n][reg + e]);
        const int column = WaveN<kC>() + n * kC.mma.m + OwnerOfAcc(kC.mma, Lane(), reg).row;
        *reinterpret_cast<Vec<Half, 4>*>(lds + (row * kC.stage_pitch() + column) * 2) = run;
      }
    }
  }

  GRIDWISE_DEVICE void StoreStaged(int rep, const char* lds) const {
    constexpr int kVec = TileConfig::kVecOut;
    constexpr int kVecsPerRow = kC.tile.n / kVec;
    for (int i = ThreadId(); i < kC.stage_rows() * kVecsPerRow; i += kC.threads()) {
      const int row = i / kVecsPerRow, column = i % kVecsPerRow * kVec;
      const int tile_row = row / kC.mma.m * kC.wave_m() + rep * kC.mma.m + row % kC.mma.m;
      using Pair = Vec<Half, 4>;  // rows are 8-byte aligned
      const Pair* const staged =
          reinterpret_cast<const Pair*>(lds + (row * kC.stage_pitch() + column) * 2);
      const Pair low = staged[0], high = staged[1];
      const Vec<Half, kVec> value = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
      const unsigned offset = row_offsets_[tile_row] + column * 2;
      const unsigned past =
          columns_ - kVec - column;  // negative: the vector ends past the last column
      tensor_.Store(value, offset | (past & Buffer::kOutOfRange));
      if (columns_ % kVec != 0) StoreRagged(value, offset, column);
    }
  }

  /// Stores the elements of a vector that ends past the last column.
  GRIDWISE_DEVICE void StoreRagged(Vec<Half, 8> value, unsigned offset, int column) const {
    for (int e = 0; e < 8; ++e) {
      const bool last_vector = column < columns_ && columns_ < column + 8;
      const Half element = value[e];
      tensor_.Store(element,
                    last_vector && column + e < columns_ ? offset + 2 * e : Buffer::kOutOfRange);
    }
  }

  const int columns_;  // of dx from the tile's first on
  unsigned* const row_offsets_;
  Buffer tensor_;
};

}  // namespace gridwise::tile
