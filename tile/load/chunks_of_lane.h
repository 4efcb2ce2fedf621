#pragma once

#include "core/arch/memory.h"
#include "core/layout/lds_tile.h"
#include "tile/config.h"
#include "tile/roles.h"

namespace gridwise::tile {

/// A chunk's elements. 8-bit elements are in words, as matrix instructions take them: the compiler
/// would take a vector of bytes apart where whole chunks and parts of chunks meet.
template <TileConfig kC>
struct ChunkOf {
  using Type = Vec<Element<kC.type>, kC.chunk()>;
};
template <TileConfig kC>
  requires(SizeOf(kC.type) == 1)
struct ChunkOf<kC> {
  using Type = Vec<unsigned, 4>;
};
template <TileConfig kC>
using ChunkVec = ChunkOf<kC>::Type;

/// How the loading lanes of a workgroup share the chunks of an operand tile if a row's chunks are
/// consecutive in memory: lanes first go along a row, then along rows, kCount times.
template <TileConfig kC, LdsTile kTile>
struct ChunksOfLane {
  static constexpr int kThreads = kC.load_threads();
  static constexpr int kChunks = kTile.rows * kTile.chunks_per_row;
  static constexpr int kCount = CeilDiv(kChunks, kThreads);

  GRIDWISE_DEVICE static int Chunk() {
    const int place = LoadThread<kC>() % kTile.chunks_per_row;
    return kC.loads_to_lds() ? kC.lds_rows(kTile.rows).Permuted(Row(0), place) : place;
  }
  GRIDWISE_DEVICE static int Row(int i) {
    return LoadThread<kC>() / kTile.chunks_per_row + i * (kThreads / kTile.chunks_per_row);
  }
  /// Whether the tile has no i-th chunk for this lane.
  GRIDWISE_DEVICE static bool IsIdle(int i) {
    return kChunks < (i + 1) * kThreads && i * kThreads + LoadThread<kC>() >= kChunks;
  }

  /// Writes the lane's chunks to LDS. Their rows are a multiple of LdsTile::kPeriodRows apart, so
  /// their places are a constant apart, which is part of the instruction.
  GRIDWISE_DEVICE static void Store(const ChunkVec<kC> (&chunks)[kCount], char* lds) {
    constexpr int kRowsApart = kThreads / kTile.chunks_per_row;
    static_assert(kCount == 1 || kRowsApart % LdsTile::kPeriodRows == 0);
    char* const first = lds + kTile.Offset(Row(0), Chunk());
    for (int i = 0; i < kCount; ++i) {
      if (IsIdle(i)) continue;
      *reinterpret_cast<ChunkVec<kC>*>(first + i * kRowsApart * LdsTile::kChunkBytes) = chunks[i];
    }
  }
};

/// Returns Buffer::kOutOfRange if `count` is less than 1, else 0.
GRIDWISE_DEVICE unsigned NoneOf(int count) {
  return static_cast<unsigned>(count - 1) & Buffer::kOutOfRange;
}

/// Whether the last channels end within a chunk.
template <TileConfig kC, class Args>
GRIDWISE_DEVICE bool IsRagged(const Args& args) {
  return kC.has_ragged_k_tiles() && args.k % kC.chunk() != 0;
}

/// Loads the chunk of consecutive channels in which the last ones end, at `offset` bytes: the first
/// `count` exist, the others read as 0. Loads kPart channels at a time, which exist together or
/// not. All read as 0 if Buffer::kOutOfRange is set in `offset`.
template <TileConfig kC, int kPart>
GRIDWISE_DEVICE ChunkVec<kC> LoadRaggedChunk(const Buffer& tensor, unsigned offset, int count) {
  using Part = Vec<Element<kC.type>, kPart>;
  Vec<Element<kC.type>, kC.chunk()> value;
  const unsigned past = BitsFrom(count);
  for (int e = 0; e < kC.chunk(); e += kPart) {
    const auto part =
        tensor.Load<Part>((offset | Buffer::OutOfRangeIf(past, e)) + e * SizeOf(kC.type), 0);
    for (int i = 0; i < kPart; ++i) value[e + i] = part[i];
  }
  return __builtin_bit_cast(ChunkVec<kC>, value);
}

}  // namespace gridwise::tile
