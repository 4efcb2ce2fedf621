// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/sync.h"
#include "tile/block_sums.h"
#include "tile/config.h"
#include "tile/lds_layout.h"
#include "tile/pipeline/wave_acc.h"
#include "tile/roles.h"

namespace gridwise::tile {

/// Makes the wave's earlier LDS writes visible to its later reads. LDS executes them in order, so
/// only the compiler needs the fence.
GRIDWISE_DEVICE void FenceLdsOfWave() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront", "local");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront", "local");
}

/// A part of the wave's tile in LDS, as T [row][column]. Lanes that hold accumulators hand them to
/// lanes that store runs of kVec columns.
template <TileConfig kC, class T, int kVec>
class WaveStage {
  static constexpr LdsLayout::Stage kStage = LdsLayout{kC}.StageFor(sizeof(T));
  static constexpr int kVecs = kStage.columns / kVec;  // per row
  static constexpr int kSubtilesN = kC.reps_n() / kStage.reps_n;
  static_assert(kStage.columns % kVec == 0 && kVecs <= kC.mma.lanes());

 public:
  static constexpr int kSubtiles = kC.reps_m() / kStage.reps_m * kSubtilesN;
  static constexpr int kRowsAtOnce = kC.mma.lanes() / kVecs;
  static constexpr int kTimes = CeilDiv(kStage.rows, kRowsAtOnce);

  GRIDWISE_DEVICE explicit WaveStage(char* lds)
      : row_(Lane<kC>() / kVecs),
        column_(Lane<kC>() % kVecs * kVec),
        write_(lds + Opaque(OffsetOfLane())),
        read_(lds + Opaque(row_ * kStage.pitch + column_ * static_cast<int>(sizeof(T)))) {}

  /// Writes a subtile of the wave's accumulators, rounded to T.
  GRIDWISE_DEVICE void Write(const WaveAcc<kC>& acc, int subtile) const {
    for (int rep = 0; rep < kStage.reps_m; ++rep) {
      const auto* const of_rep =
          acc.d[subtile / kSubtilesN * kStage.reps_m + rep] + subtile % kSubtilesN * kStage.reps_n;
      char* const to = write_ + rep * kC.mma_m() * kStage.pitch;
      if constexpr (kC.sums_blocks()) {
        WriteBlocks(of_rep, to);
      } else {
        WriteRuns(of_rep, to);
      }
    }
  }

  /// Whether the `i`-th row of the lane in a subtile, 0 <= i < kTimes, is one of the subtile's
  /// rows.
  GRIDWISE_DEVICE bool HasRow(int i) const {
    constexpr int kLanes = kRowsAtOnce * kVecs;
    if (kLanes < kC.mma.lanes() && Lane<kC>() >= kLanes) return false;
    return kStage.rows % kRowsAtOnce == 0 || row_ + i * kRowsAtOnce < kStage.rows;
  }
  /// The run of columns of that row that the lane stores.
  GRIDWISE_DEVICE Vec<T, kVec> Read(int i) const {
    constexpr int kMax = 16 / sizeof(T), kPart = kVec < kMax ? kVec : kMax;
    struct Parts {  // rows are 16-byte aligned
      Vec<T, kPart> part[kVec / kPart];
    };
    return __builtin_bit_cast(
        Vec<T, kVec>, *reinterpret_cast<const Parts*>(read_ + i * kRowsAtOnce * kStage.pitch));
  }
  /// Row and column of that run in the wave's tile.
  GRIDWISE_DEVICE int Row(int subtile, int i) const {
    return row_ + subtile / kSubtilesN * kStage.rows + i * kRowsAtOnce;
  }
  GRIDWISE_DEVICE int Column(int subtile) const {
    return column_ + subtile % kSubtilesN * kStage.columns;
  }

 private:
  using OfInstruction = Acc<kC.mma, kC.type>;
  static constexpr int kPairs = TileConfig::kBlock / kC.mma.m;      // matrix instructions per tap
  static constexpr int kBlockRun = kPairs * kC.mma.acc_per_lane();  // columns per lane

  /// The first row and column of the lane in the stage.
  GRIDWISE_DEVICE static int OffsetOfLane() {
    if constexpr (kC.sums_blocks()) {
      constexpr int kColumns = BlockSums{kC}.columns_of_tap();
      return Lane<kC>() % kC.mma.m * kStage.pitch +
             BlockColumn() % kColumns * static_cast<int>(sizeof(T));
    } else {
      const RowCol at = kC.PositionOfAcc(Lane<kC>(), 0, 0);
      return at.row * kStage.pitch + at.col * static_cast<int>(sizeof(T));
    }
  }

  /// Registers are at the same distances from the lane's first one in all lanes.
  GRIDWISE_DEVICE static void WriteRuns(const OfInstruction* acc, char* to) {
    constexpr int kRun = kC.mma.acc_run();
    using Run = Vec<T, kRun>;
    for (int n = 0; n < kStage.reps_n; ++n) {
      for (int reg = 0; reg < kC.mma.acc_per_lane(); reg += kRun) {
        Run run;
        for (int e = 0; e < kRun; ++e) run[e] = static_cast<T>(acc[n][reg + e]);
        const RowCol at = kC.PositionOfAcc(/*lane=*/0, n, reg);
        *reinterpret_cast<Run*>(to + at.row * kStage.pitch + at.col * sizeof(T)) = run;
      }
    }
  }

  /// The same for sums of blocks, of which a lane has for each tap runs of 8 columns, or of 2 on
  /// RDNA3, each of one group: only those of its row's group are columns of the tile.
  GRIDWISE_DEVICE static void WriteBlocks(const OfInstruction* acc, char* to) {
    // On RDNA3 two groups of lanes take turns at rows of the matrix instruction.
    constexpr bool kInTurn = kC.mma.acc_run() == 1;
    constexpr int kRun = kInTurn ? kPairs : 8, kApart = kInTurn ? kC.mma.lanes() / kC.mma.n : 1;
    constexpr int kPart = 16 / sizeof(T) < kRun ? 16 / sizeof(T) : kRun;
    constexpr int kColumns = BlockSums{kC}.columns_of_tap();
    const int group = Lane<kC>() % kC.mma.m * kPairs / kColumns;  // of its row
    for (int run = 0; run < kBlockRun; run += kRun) {
      const int at = run * kApart;
      if ((BlockColumn() + at) / kColumns != group) continue;
      for (int tap = 0; tap < kStage.reps_n / kPairs; ++tap) {
        OfInstruction of_tap[kPairs];
        for (int c = 0; c < kPairs; ++c) of_tap[c] = AsTheyAre(acc[tap * kPairs + c]);
        const int column = tap * kColumns + at % kColumns;
        auto* const parts = reinterpret_cast<Vec<T, kPart>*>(to + column * sizeof(T));
        for (int e = 0; e < kRun; e += kPart) {
          Vec<T, kPart> part;
          for (int i = 0; i < kPart; ++i) {
            const int column = run + e + i;
            part[i] = static_cast<T>(of_tap[column % kPairs][column / kPairs]);
          }
          parts[e / kPart] = part;
        }
      }
    }
  }
  /// Hides the accumulators' origin from the compiler. Otherwise it orders those of all subtiles
  /// ahead of the loop over subtiles, and holds them twice.
  GRIDWISE_DEVICE static OfInstruction AsTheyAre(OfInstruction acc) {
    asm volatile("" : "+v"(acc));
    return acc;
  }
  GRIDWISE_DEVICE static int BlockColumn() {
    return Lane<kC>() / kC.mma.m * (kPairs * kC.mma.acc_run());
  }

  const int row_, column_;
  char* const write_;
  const char* const read_;
};

}  // namespace gridwise::tile
