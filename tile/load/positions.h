#pragma once

#include "core/arch/memory.h"
#include "tile/bwd_weight_args.h"
#include "tile/config.h"
#include "tile/load/chunks_of_lane.h"

namespace gridwise::tile {

/// A position (CellPositions) that moves on: all of it is the same in all lanes.
class PositionWalk {
 public:
  GRIDWISE_DEVICE PositionWalk(const CellPositions& positions, int position)
      : pitch_(positions.pitch), none_(positions.rows - 1) {
    const int row = Divide(position, positions.by_pitch);
    h_ = row - Divide(row, positions.by_rows) * positions.rows;
    w_ = position - row * pitch_;
  }

  GRIDWISE_DEVICE void Advance(int positions) {
    w_ += positions;
    while (w_ >= pitch_) {
      w_ -= pitch_;
      h_ = h_ == none_ ? 0 : h_ + 1;
    }
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
  int pitch_, none_;  // none_: an image's row without cells
  int h_, w_;
};

/// How far steps move on, in whole images, rows and what is left, and in bytes of cells, were there
/// no more ends of rows and images on the way.
struct PositionStride {
  int pitch, rows, cell_bytes, end;  // end: bytes of all cells
  int h, w, bytes;

  GRIDWISE_DEVICE PositionStride(const CellPositions& positions, int step)
      : pitch(positions.pitch),
        rows(positions.rows),
        cell_bytes(positions.cell_bytes),
        end(positions.images * (rows - 1) * (pitch - 1) * cell_bytes) {
    const int all_rows = Divide(step, positions.by_pitch);
    const int images = Divide(all_rows, positions.by_rows);
    h = all_rows - images * rows;
    w = step - all_rows * pitch;
    bytes = (step - all_rows - images * (pitch - 1)) * cell_bytes;
  }
};

/// A position of a lane's and its cell's offset, which move on by strides without branches.
class LanePosition {
 public:
  /// Goes to `position`, which may lie before the first.
  GRIDWISE_DEVICE void Begin(const CellPositions& positions, int position) {
    // Positions of empty images before the first one are none below zero.
    const int lead = positions.lead * positions.rows;
    const int row = Divide(position + lead * positions.pitch, positions.by_pitch);
    const int image = Divide(row, positions.by_rows);
    h_ = row - image * positions.rows;
    w_ = position - (row - lead) * positions.pitch;
    const int row_of_cells = (image - positions.lead) * (positions.rows - 1) + h_;
    offset_ = (row_of_cells * (positions.pitch - 1) + w_) * positions.cell_bytes;
  }

  GRIDWISE_DEVICE void Advance(const PositionStride& by) {
    w_ += by.w;
    const bool next_row = w_ >= by.pitch;
    w_ -= next_row ? by.pitch : 0;
    h_ += by.h + next_row;
    const bool next_image = h_ >= by.rows;
    h_ -= next_image ? by.rows : 0;
    offset_ += by.bytes - (next_row ? by.cell_bytes : 0) -
               (next_image ? (by.pitch - 1) * by.cell_bytes : 0);
  }

  /// From the tensor's first byte; out of range where there is no cell.
  GRIDWISE_DEVICE unsigned Offset(const PositionStride& by) const {
    bool is_cell = w_ != by.pitch - 1;
    is_cell &= h_ != by.rows - 1;
    is_cell &= static_cast<unsigned>(offset_) < static_cast<unsigned>(by.end);
    return is_cell ? static_cast<unsigned>(offset_) : Buffer::kOutOfRange;
  }

 private:
  int h_, w_, offset_;
};

/// Loads a step's cells of x and of dy, all channels of the tile's, and writes them to LDS: those
/// of x to a ring, whose first cells are also behind its last, and those of dy behind it. What is
/// no cell is zeros.
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
      : stride_(args.positions, kC.tile.k),
        of_lane_(Channel() * SizeOf(kC.type)),
        none_(first_channel + Channel() < args.positions.channels ? 0 : Buffer::kOutOfRange),
        to_lds_(Opaque(Cell() * kC.cell_bytes() + Channel() * SizeOf(kC.type))) {
    for (int i = 0; i < kCount; ++i) {
      const bool of_x = Load(i) < kLoadsOfStep;
      buffer_[i] = OfChannels(of_x ? args.x.data : args.dy.data, first_channel);
      at_[i].Begin(args.positions, (of_x ? x : dy) + FirstCell(i) + Cell());
    }
  }

  /// Loads so many cells of x, of whole steps, from position `x` on, and writes them to the ring's
  /// first ones.
  GRIDWISE_DEVICE void FillRing(const BwdWeightArgs& args, int first_channel, int x, int count,
                                char* lds) const {
    constexpr int kMost = CeilDiv(kC.halo.cells, kWaves * kC.cells_of_load());
    const auto first_cell = [](int i) { return Load(i) * kC.cells_of_load(); };
    const PositionStride stride(args.positions, kWaves * kC.cells_of_load());
    const Buffer buffer = OfChannels(args.x.data, first_channel);
    LanePosition at;
    at.Begin(args.positions, x + first_cell(0) + Cell());
    Chunk chunks[kMost];
    for (int i = 0; i < kMost; ++i) {
      const unsigned offset = (at.Offset(stride) + of_lane_) | none_;
      chunks[i] =
          buffer.template Load<Chunk>(first_cell(i) < count ? offset : Buffer::kOutOfRange, 0);
      at.Advance(stride);
    }
    for (int i = 0; i < kMost; ++i) {
      if (first_cell(i) < count) WriteToRing(chunks[i], first_cell(i), lds);
    }
  }

  /// Starts the loads of the next step.
  GRIDWISE_DEVICE void Load() {
    for (int i = 0; i < kCount; ++i) {
      if (Load(i) >= 2 * kLoadsOfStep) continue;
      const unsigned offset = (at_[i].Offset(stride_) + of_lane_) | none_;
      chunks_[i] = buffer_[i].template Load<Chunk>(offset, 0);
      at_[i].Advance(stride_);
    }
  }

  /// Waits for them and writes them to LDS, those of x to the ring from cell `at` of it on.
  GRIDWISE_DEVICE void Store(char* lds, int at) const {
    for (int i = 0; i < kCount; ++i) {
      if (Load(i) < kLoadsOfStep) {
        int cell = at + FirstCell(i);
        cell -= cell >= kC.halo.cells ? kC.halo.cells : 0;
        WriteToRing(chunks_[i], cell, lds);
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

  GRIDWISE_DEVICE static Buffer OfChannels(const void* data, int first_channel) {
    return Buffer::From<kGfx>(static_cast<const char*>(data) +
                              static_cast<long>(first_channel) * SizeOf(kC.type));
  }

  GRIDWISE_DEVICE void WriteToRing(const Chunk& chunk, int first_cell, char* lds) const {
    Write(chunk, lds + first_cell * kC.cell_bytes());
    if (first_cell < kC.repeated_cells()) {
      Write(chunk, lds + (first_cell + kC.halo.cells) * kC.cell_bytes());
    }
  }
  GRIDWISE_DEVICE void Write(const Chunk& chunk, char* first_cell) const {
    *reinterpret_cast<Chunk*>(first_cell + to_lds_) = chunk;
  }

  const PositionStride stride_;
  const unsigned of_lane_, none_;  // bytes, in memory
  const int to_lds_;
  Buffer buffer_[kCount];
  LanePosition at_[kCount];
  Chunk chunks_[kCount];
};

}  // namespace gridwise::tile
