// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/memory.h"
#include "core/layout/lds_tile.h"
#include "tile/config.h"
#include "tile/roles.h"

namespace gridwise::tile {

/// A vector's elements. 8-bit elements are in words, as matrix instructions take them: the compiler
/// would take a vector of bytes apart where whole vectors and parts of vectors meet.
template <TileConfig kC>
struct VectorTypeOf {
  using Type = Vec<Element<kC.type>, kC.vector()>;
};
template <TileConfig kC>
  requires(SizeOf(kC.type) == 1)
struct VectorTypeOf<kC> {
  using Type = Vec<unsigned, 4>;
};
template <TileConfig kC>
using VectorType = VectorTypeOf<kC>::Type;

/// How the loading lanes of a workgroup share the vectors of an operand tile if a row's vectors are
/// consecutive in memory: lanes first go along a row, then along rows, kCount times.
template <TileConfig kC, LdsTile kTile>
struct VectorsOfLane {
  static constexpr int kThreads = kC.load_threads();
  static constexpr int kVectors = kTile.rows * kTile.vectors_per_row;
  static constexpr int kCount = CeilDiv(kVectors, kThreads);

  GRIDWISE_DEVICE static int Vector() {
    const int slot = LoadThread<kC>() % kTile.vectors_per_row;
    return kC.loads_to_lds() ? kC.lds_rows(kTile.rows).Permuted(Row(0), slot) : slot;
  }
  GRIDWISE_DEVICE static int Row(int i) {
    return LoadThread<kC>() / kTile.vectors_per_row + i * (kThreads / kTile.vectors_per_row);
  }
  /// Whether the tile has no i-th vector for this lane.
  GRIDWISE_DEVICE static bool IsIdle(int i) {
    return kVectors < (i + 1) * kThreads && i * kThreads + LoadThread<kC>() >= kVectors;
  }

  /// Writes the lane's vectors to LDS. Their rows are a multiple of LdsTile::kPeriodRows apart, so
  /// their offsets are a constant apart, which is part of the instruction.
  GRIDWISE_DEVICE static void Store(const VectorType<kC> (&vectors)[kCount], char* lds) {
    constexpr int kRowsApart = kThreads / kTile.vectors_per_row;
    static_assert(kCount == 1 || kRowsApart % LdsTile::kPeriodRows == 0);
    char* const first = lds + kTile.Offset(Row(0), Vector());
    for (int i = 0; i < kCount; ++i) {
      if (IsIdle(i)) continue;
      *reinterpret_cast<VectorType<kC>*>(first + i * kRowsApart * LdsTile::kVectorBytes) =
          vectors[i];
    }
  }
};

/// Returns Buffer::kOutOfRange if `count` is less than 1, else 0.
GRIDWISE_DEVICE unsigned NoneOf(int count) {
  return static_cast<unsigned>(count - 1) & Buffer::kOutOfRange;
}

/// Whether the last channels end within a vector.
template <TileConfig kC, class Args>
GRIDWISE_DEVICE bool IsRagged(const Args& args) {
  return kC.has_ragged_k_tiles() && args.k % kC.vector() != 0;
}

/// Loads the vector of consecutive channels in which the last ones end, at `offset` bytes: the
/// first `count` exist, the others read as 0. Loads kPart channels at a time, which exist together
/// or not. All read as 0 if Buffer::kOutOfRange is set in `offset`.
template <TileConfig kC, int kPart>
GRIDWISE_DEVICE VectorType<kC> LoadRaggedVector(const Buffer& tensor, unsigned offset, int count) {
  using Part = Vec<Element<kC.type>, kPart>;
  Vec<Element<kC.type>, kC.vector()> value;
  // Opaque, or the compiler folds the shifts below into constants, which have a scalar register
  // each for all of a loop.
  const unsigned past = Opaque(BitsFrom(count));
  for (int e = 0; e < kC.vector(); e += kPart) {
    const auto part =
        tensor.Load<Part>((offset | Buffer::OutOfRangeIf(past, e)) + e * SizeOf(kC.type), 0);
    for (int i = 0; i < kPart; ++i) value[e + i] = part[i];
  }
  return __builtin_bit_cast(VectorType<kC>, value);
}

}  // namespace gridwise::tile
