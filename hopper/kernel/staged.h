// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/hopper.h"
#include "core/arch/warp_mma.h"
#include "core/base/math.h"
#include "hopper/base/config.h"

/// Rows of an epilogue tile in the buffers of shared memory from which TMA stores them: sums, and
/// the tensor that is added to them.

namespace gridwise::hopper {

/// Where a piece of 8 columns of a row is, among rows of kColumns. 64 columns have the 128-byte
/// swizzle.
template <int kColumns>
GRIDWISE_DEVICE SharedAddress StagedPiece(SharedAddress rows, int row, int piece) {
  return rows + row * kColumns * 2 + (kColumns == 64 ? piece ^ (row & 7) : piece) * 16;
}

/// A warp puts its 16 rows of 32 columns of f32 into shared memory, with the 128-byte swizzle.
GRIDWISE_DEVICE void StageFloats(SharedAddress to, const float* d) {
  const int lane = ThreadId() % 32, row = lane / 4;
  char* const of_row = dynamic_shared_memory + static_cast<int>(to - DynamicSharedMemory()) +
                       row * 128 + lane % 2 * 8;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    char* const at = of_row + (j * 2 + lane % 4 / 2 ^ row) * 16;
#pragma unroll
    for (int half = 0; half < 2; ++half) {  // rows are 8 apart
      const float* const v = d + j * 4 + half * 2;
      *reinterpret_cast<Vec<float, 2>*>(at + half * 8 * 128) = Vec<float, 2>{v[0], v[1]};
    }
  }
}

/// A warp puts its 16 rows of sums into shared memory, in the type that is stored. `to` is the
/// first of 16 rows.
template <int kColumns, DataType kType>
GRIDWISE_DEVICE void StageRows(SharedAddress to, const float* d) {
  if constexpr (SizeOf(kType) == 4) {
    static_assert(kColumns == 32);
    StageFloats(to, d);
  } else {
    const int lane = ThreadId() % 32;
#pragma unroll
    for (int j = 0; j < kColumns / 8; j += 2) {
      const float* const v = d + j * 4;
      const SharedAddress at = StagedPiece<kColumns>(to, lane % 16, j + lane / 16);
      if (j + 1 < kColumns / 8) {
        StoreMatrix4(at, Pack<kType>(v[0], v[1]), Pack<kType>(v[2], v[3]), Pack<kType>(v[4], v[5]),
                     Pack<kType>(v[6], v[7]));
      } else {
        StoreMatrix2(at, Pack<kType>(v[0], v[1]), Pack<kType>(v[2], v[3]));
      }
    }
  }
}

/// Adds 16 rows that are where sums will be staged, times `scale`.
template <int kColumns, DataType kType>
GRIDWISE_DEVICE void AddStagedRows(SharedAddress from, float scale, float* d) {
  const int lane = ThreadId() % 32;
#pragma unroll
  for (int j = 0; j < kColumns / 8; j += 2) {
    const bool is_pair = j + 1 < kColumns / 8;
    const Matrices4 m =
        LoadMatrices4(StagedPiece<kColumns>(from, lane % 16, is_pair ? j + lane / 16 : j));
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (i >= 2 && !is_pair) continue;
      const Vec<float, 2> pair = Unpack<kType>(m.part[i]);
      d[j * 4 + i * 2] += scale * pair[0];
      d[j * 4 + i * 2 + 1] += scale * pair[1];
    }
  }
}

/// Where this warp's 16 rows of an epilogue tile are, in the buffers of its warpgroup.
template <Config kC>
GRIDWISE_DEVICE SharedAddress StagedBuffer(SharedAddress staging, int tile) {
  constexpr int kColumns = kC.stored_columns(), kBytes = kC.stored_element_bytes();
  return staging + tile % kC.buffers() * kC.buffer_bytes() +
         ThreadId() % 128 / 32 * 16 * kColumns * kBytes;
}

/// The last tensor of an epilogue, if its rows are evenly spaced. Lanes copy it to where the sums
/// will be staged, so that it passes through no registers. The first epilogue tiles arrive while a
/// tile is multiplied; each of the others while the one before is added. A warp has 16 rows of a
/// warpgroup's 64 for itself.
template <Config kC>
class StagedTensor {
 public:
  /// Epilogue tiles of all rows of a warpgroup, in the order in which they are stored.
  static constexpr int kOfRep = kC.columns / kC.epilogue_columns, kTiles = kC.reps * kOfRep;
  static constexpr int kBuffers = kC.buffers();

  /// `from`: the first row and column of a warpgroup's tile; `rows` and `columns`, of which may be
  /// fewer than the tile has, or none, exist. `staging`: the warpgroup's buffers.
  GRIDWISE_DEVICE StagedTensor(const char* from, int pitch, int rows, int columns,
                               SharedAddress staging)
      : from_(from), pitch_(pitch), rows_(rows), columns_(columns), staging_(staging) {}

  /// Starts to load the first epilogue tiles, and to fetch all into L2. Called by a whole
  /// warpgroup, like the others.
  GRIDWISE_DEVICE void Begin() const {
    constexpr int kLineColumns = 64, kLines = CeilDiv(kC.columns, kLineColumns);
    if constexpr (kTiles > kBuffers) {
#pragma clang loop unroll(disable)
      for (int i = ThreadId() % 128; i < kC.reps * 64 * kLines; i += 128) {
        const int row = i / kLines, column = i % kLines * kLineColumns;
        if (row < rows_ && column < columns_) FetchLine(At(row, column));
      }
    }
#pragma unroll
    for (int tile = 0; tile < kBuffers; ++tile) Load(tile);
  }

  /// Waits for an epilogue tile, and starts to load the next whose buffer is free.
  GRIDWISE_DEVICE void Wait(int tile) const {
    if (tile > 0) {
      if (tile + kBuffers - 1 < kTiles) {
        Load(tile + kBuffers - 1);
      } else {
        CommitLoads();
      }
    }
    WaitLoads<kBuffers - 1>();
    SyncWarp();
  }

 private:
  GRIDWISE_DEVICE const char* At(int row, int column) const {
    return from_ + static_cast<long>(row) * pitch_ + column * 2;
  }
  /// Starts to load this warp's rows of an epilogue tile as one group, once all earlier boxes have
  /// left the buffers.
  GRIDWISE_DEVICE void Load(int tile) const {
    constexpr int kPieces = kC.epilogue_columns / 8;
    const int lane = ThreadId() % 32, first_row = tile / kOfRep * 64 + ThreadId() % 128 / 32 * 16;
    const int first_column = tile % kOfRep * kC.epilogue_columns;
    const SharedAddress to = StagedBuffer<kC>(staging_, tile);
    if (lane == 0) WaitStoresRead<0>();
    SyncWarp();
#pragma unroll
    for (int i = 0; i < 16 * kPieces; i += 32) {
      const int row = (i + lane) / kPieces, piece = (i + lane) % kPieces;
      if (16 * kPieces % 32 != 0 && row >= 16) continue;
      const int column = first_column + piece * 8;
      const bool is_there = first_row + row < rows_ && column < columns_;
      LoadSixteen(StagedPiece<kC.epilogue_columns>(to, row, piece),
                  is_there ? At(first_row + row, column) : from_, is_there);
    }
    CommitLoads();
  }

  const char* from_;
  int pitch_, rows_, columns_;
  SharedAddress staging_;
};

}  // namespace gridwise::hopper
