#pragma once

#include "core/arch/memory.h"
#include "tile/bwd_weight_args.h"
#include "tile/config.h"
#include "tile/load/chunks_of_lane.h"
#include "tile/load/position_walk.h"

namespace gridwise::tile {

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
