#pragma once

#include "core/arch/memory.h"
#include "core/layout/lds_tile.h"
#include "tile/config.h"
#include "tile/roles.h"

namespace gridwise::tile {

/// A cell's elements. Those of 8 bits are in words, as matrix instructions take them: a vector of
/// bytes is taken apart where whole cells and parts of cells meet.
template <TileConfig kC>
struct CellOf {
  using Type = Vec<Element<kC.type>, kC.cell()>;
};
template <TileConfig kC>
  requires(SizeOf(kC.type) == 1)
struct CellOf<kC> {
  using Type = Vec<unsigned, 4>;
};
template <TileConfig kC>
using CellVec = CellOf<kC>::Type;

/// How the loading lanes of a workgroup share the cells of an operand tile, where a row's cells are
/// consecutive in memory: lanes along a row first, then along rows, kCount times.
template <TileConfig kC, LdsTile kTile>
struct CellsOfLane {
  static constexpr int kThreads = kC.load_threads();
  static constexpr int kCells = kTile.rows * kTile.cells_per_row;
  static constexpr int kCount = CeilDiv(kCells, kThreads);
  static_assert(kCells % kThreads == 0 || kCells < kThreads);

  GRIDWISE_DEVICE static int Cell() {
    const int place = LoadThread<kC>() % kTile.cells_per_row;
    return kC.loads_to_lds() ? kC.lds_rows(kTile.rows).Permuted(Row(0), place) : place;
  }
  GRIDWISE_DEVICE static int Row(int i) {
    return LoadThread<kC>() / kTile.cells_per_row + i * (kThreads / kTile.cells_per_row);
  }
  /// There are more lanes than cells, and this one has none.
  GRIDWISE_DEVICE static bool IsIdle() { return kCells < kThreads && LoadThread<kC>() >= kCells; }

  /// Writes the lane's cells to LDS. Their rows lie a multiple of LdsTile::kPeriodRows apart, hence
  /// their places a constant, which is part of the instruction.
  GRIDWISE_DEVICE static void Store(const CellVec<kC> (&cells)[kCount], char* lds) {
    constexpr int kRowsApart = kThreads / kTile.cells_per_row;
    static_assert(kCount == 1 || kRowsApart % LdsTile::kPeriodRows == 0);
    char* const first = lds + kTile.Offset(Row(0), Cell());
    for (int i = 0; i < kCount; ++i) {
      *reinterpret_cast<CellVec<kC>*>(first + i * kRowsApart * LdsTile::kCellBytes) = cells[i];
    }
  }
};

/// Buffer::kOutOfRange where `count` is less than 1.
GRIDWISE_DEVICE unsigned NoneOf(int count) {
  return static_cast<unsigned>(count - 1) & Buffer::kOutOfRange;
}

/// Loads a cell of consecutive channels at `offset` + `uniform_offset` bytes, of which the first
/// `count` exist; the others read as 0, and all do when Buffer::kOutOfRange is set in `offset`.
/// Only where kRagged is not 0 it looks into cells, kRagged elements at a time, which exist
/// together or not; else `count` is at least a whole cell, or less than 1.
template <TileConfig kC, int kRagged>
GRIDWISE_DEVICE CellVec<kC> LoadCell(const Buffer& tensor, unsigned offset, int uniform_offset,
                                     int count) {
  if constexpr (kRagged == 0) {
    return tensor.Load<CellVec<kC>>(offset | NoneOf(count), uniform_offset);
  } else {
    using Part = Vec<Element<kC.type>, kRagged>;
    Vec<Element<kC.type>, kC.cell()> value;
    const unsigned past = BitsFrom(count);
    for (int e = 0; e < kC.cell(); e += kRagged) {
      const auto part = tensor.Load<Part>(
          (offset | Buffer::OutOfRangeIf(past, e)) + e * SizeOf(kC.type), uniform_offset);
      for (int i = 0; i < kRagged; ++i) value[e + i] = part[i];
    }
    return __builtin_bit_cast(CellVec<kC>, value);
  }
}

}  // namespace gridwise::tile
