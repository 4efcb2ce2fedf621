#pragma once

#include "ck/arch/memory.h"
#include "tile/config.h"
#include "tile/pipeline_single_lds.h"

namespace gridwise::tile {

/// Rounds the accumulators to the output's type and writes the tile. They go through LDS, a row of
/// matrix instructions of every wave at a time, so that lanes store 16 consecutive bytes.
template <TileConfig kC>
class StoreTile {
 public:
  /// `offset_of(row)` is the offset in `tensor`, in bytes, of the tile's first column in a row of
  /// the tile, or Buffer::kOutOfRange for a row that is not there; `columns` are there from the
  /// tile's first on. `row_offsets` is LDS of tile.m offsets, which nothing else uses until Store
  /// returns.
  template <class OffsetOf>
  GRIDWISE_DEVICE StoreTile(Buffer tensor, int columns, unsigned* row_offsets, OffsetOf offset_of)
      : columns_(columns), row_offsets_(row_offsets), tensor_(tensor) {
    for (int row = ThreadId(); row < kC.tile.m; row += kC.threads()) {
      row_offsets_[row] = offset_of(row);
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

  const int columns_;
  unsigned* const row_offsets_;
  Buffer tensor_;
};

}  // namespace gridwise::tile
