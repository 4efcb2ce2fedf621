#pragma once

#include "core/arch/memory.h"
#include "tile/bwd_weight_args.h"
#include "tile/config.h"
#include "tile/load/chunks_of_lane.h"

namespace gridwise::tile {

/// A position (CellPositions) that moves on: all of it is the same in all lanes.
class PositionWalk {
 public:
  /// Goes to `position`, which may lie before the first.
  GRIDWISE_DEVICE void Begin(const CellPositions& positions, int position) {
    pitch_ = positions.pitch;
    none_ = positions.rows - 1;
    all_rows_ = positions.images * positions.rows;
    cell_bytes_ = positions.cell_bytes;
    // Positions of empty images before the first one are none below zero.
    const int lead = positions.lead * positions.rows;
    const int row = Divide(position + lead * pitch_, positions.by_pitch);
    const int image = Divide(row, positions.by_rows) - positions.lead;
    row_ = row - lead;
    h_ = row_ - image * positions.rows;
    w_ = position - row_ * pitch_;
    offset_ = ((image * none_ + h_) * (pitch_ - 1) + w_) * cell_bytes_;
  }

  GRIDWISE_DEVICE void Advance(int positions) {
    w_ += positions;
    offset_ += positions * cell_bytes_;
    while (w_ >= pitch_) {
      w_ -= pitch_;
      offset_ -= (h_ == none_ ? pitch_ : 1) * cell_bytes_;
      h_ = h_ == none_ ? 0 : h_ + 1;
      ++row_;
    }
  }

  /// Positions of the row that come before this one, and those of a row.
  GRIDWISE_DEVICE int w() const { return w_; }
  GRIDWISE_DEVICE int pitch() const { return pitch_; }
  /// From the tensor's first byte to the cell here, and to a cell of the next row that is 0
  /// positions away; out of range where the row has no cells.
  GRIDWISE_DEVICE unsigned Offset() const { return h_ == none_ ? kNone : OfRow(row_, offset_); }
  GRIDWISE_DEVICE unsigned OffsetOfNext() const {
    if (h_ + 1 == none_) return kNone;
    return OfRow(row_ + 1, offset_ - (h_ == none_ ? pitch_ : 1) * cell_bytes_);
  }

  /// Bit i: the position i behind this one is a cell.
  GRIDWISE_DEVICE unsigned Cells() const {
    unsigned cells = 0;
    int w = w_, h = h_;
    for (int at = 0; at < 32;) {
      const int left = pitch_ - 1 - w;  // of the row
      const unsigned of_row = left < 32 ? ~(~0u << left) : ~0u;
      cells |= h == none_ ? 0 : of_row << at;
      at += left + 1;
      w = 0;
      h = h == none_ ? 0 : h + 1;
    }
    return cells;
  }

 private:
  static constexpr unsigned kNone = Buffer::kOutOfRange;

  GRIDWISE_DEVICE unsigned OfRow(int row, int offset) const {
    return static_cast<unsigned>(row) < static_cast<unsigned>(all_rows_)
               ? static_cast<unsigned>(offset)
               : kNone;
  }

  int pitch_, none_;  // none_: an image's row without cells
  int all_rows_, cell_bytes_;
  int row_, h_, w_;  // row_: of all images
  int offset_;       // bytes, of the cell
};

/// Loads a step's cells of x and of dy, all channels of the tile's, and writes them to LDS: those
/// of x to a ring, whose first cells are also behind its last, and those of dy behind it. What is
/// no cell is zeros. A wave's load is of cells of one row, or two.
template <TileConfig kC, Gfx kGfx>
class LoadPositions {
  static constexpr int kChunksOfCell = kC.cell_bytes() / LdsTile::kChunkBytes;
  static constexpr int kLoadsOfStep = kC.tile.k / kC.cells_of_load();  // of an operand
  static constexpr int kWaves = kC.threads() / kC.mma.lanes();
  static constexpr int kCount = CeilDiv(2 * kLoadsOfStep, kWaves);  // loads of a wave

 public:
  /// `first_channel` is the tile's, of all groups; the first step's cells of x are from position
  /// `x` on, and those of dy from `dy` on.
  GRIDWISE_DEVICE LoadPositions(const BwdWeightArgs& args, int first_channel, int x, int dy)
      : exists_(first_channel + Channel() < args.positions.channels),
        of_lane_(Cell() * args.positions.cell_bytes + Channel() * SizeOf(kC.type)),
        to_lds_(Opaque(Cell() * kC.cell_bytes() + Channel() * SizeOf(kC.type))) {
    const long bytes = static_cast<long>(first_channel) * SizeOf(kC.type);
    for (int i = 0; i < kCount; ++i) {
      const bool of_x = Load(i) < kLoadsOfStep;
      const void* const data = of_x ? args.x.data : args.dy.data;
      buffer_[i] = Buffer::From<kGfx>(static_cast<const char*>(data) + bytes);
      walk_[i].Begin(args.positions, (of_x ? x : dy) + FirstCell(i));
    }
  }

  /// Starts the loads of the next step.
  GRIDWISE_DEVICE void Load() {
    for (int i = 0; i < kCount; ++i) {
      if (Load(i) >= 2 * kLoadsOfStep) continue;
      PositionWalk& walk = walk_[i];
      const int w = walk.w() + Cell();
      const unsigned offset = of_lane_ + (w < walk.pitch() ? walk.Offset() : walk.OffsetOfNext());
      const bool is_cell = exists_ && w != walk.pitch() - 1;
      chunks_[i] = buffer_[i].template Load<Chunk>(is_cell ? offset : Buffer::kOutOfRange, 0);
      walk.Advance(kC.tile.k);
    }
  }

  /// Waits for them and writes them to LDS, those of x to the ring from cell `at` of it on.
  GRIDWISE_DEVICE void Store(char* lds, int at) const {
    for (int i = 0; i < kCount; ++i) {
      if (Load(i) < kLoadsOfStep) {
        int cell = at + FirstCell(i);
        cell -= cell >= kC.halo.cells ? kC.halo.cells : 0;
        Write(chunks_[i], lds + cell * kC.cell_bytes());
        if (cell < kC.repeated_cells()) {
          Write(chunks_[i], lds + (cell + kC.halo.cells) * kC.cell_bytes());
        }
      } else if (Load(i) < 2 * kLoadsOfStep) {
        Write(chunks_[i], lds + kC.bytes_of_ring() + FirstCell(i) * kC.cell_bytes());
      }
    }
  }

 private:
  using Chunk = ChunkVec<kC>;

  /// The wave's i-th load, of those of x and dy; and its first cell in the step.
  GRIDWISE_DEVICE static int Load(int i) {
    return i * kWaves + Uniform(ThreadId() / kC.mma.lanes());
  }
  GRIDWISE_DEVICE static int FirstCell(int i) {
    return Load(i) % kLoadsOfStep * kC.cells_of_load();
  }
  /// The lane's cell of those that its wave loads, and its channel.
  GRIDWISE_DEVICE static int Cell() { return ThreadId() % kC.mma.lanes() / kChunksOfCell; }
  GRIDWISE_DEVICE static int Channel() { return ThreadId() % kChunksOfCell * kC.chunk(); }

  GRIDWISE_DEVICE void Write(const Chunk& chunk, char* first_cell) const {
    *reinterpret_cast<Chunk*>(first_cell + to_lds_) = chunk;
  }

  const bool exists_;
  const unsigned of_lane_;  // bytes, in memory
  const int to_lds_;
  Buffer buffer_[kCount];
  PositionWalk walk_[kCount];
  Chunk chunks_[kCount];
};

}  // namespace gridwise::tile
