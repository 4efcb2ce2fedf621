// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/memory.h"
#include "tile/config.h"
#include "tile/roles.h"

namespace gridwise::tile {

/// The destination of a lane's loads of an operand's tile that go to LDS instead of registers: load
/// i of all waves fills the i-th part of the tile, a piece per wave.
template <TileConfig kC>
class TileInLds {
 public:
  /// `first` is the address of the wave's first piece of the tile.
  GRIDWISE_DEVICE explicit TileInLds(char* first) : first_(first) {}

  GRIDWISE_DEVICE LdsPiece operator[](int i) const {
    return {first_ + i * kC.load_threads() * LdsTile::kVectorBytes};
  }

 private:
  char* const first_;
};

/// LDS buffers for k tiles, for loads that go to LDS.
template <TileConfig kC>
class KTileInLds {
 public:
  GRIDWISE_DEVICE explicit KTileInLds(char* lds)
      : first_(lds + Uniform(LoadThread<kC>() / kC.mma.lanes()) * kC.mma.lanes() *
                         LdsTile::kVectorBytes) {}

  GRIDWISE_DEVICE TileInLds<kC> a(int buffer) const {
    return TileInLds<kC>(first_ + buffer * kC.k_tile_bytes());
  }
  GRIDWISE_DEVICE TileInLds<kC> b(int buffer) const {
    return TileInLds<kC>(first_ + buffer * kC.k_tile_bytes() + kC.lds_a().bytes());
  }

 private:
  char* const first_;  // of the wave
};

/// The loading state of a workgroup: the loaders of A and B, and the walk over K that they follow.
/// Steps come in runs; within a run, steps differ only in how far their loads have moved. Decisions
/// that depend on the position in K are made where a run begins, and the main loop has one branch
/// per step. A loader has
///   KTile                   registers of this lane for its part of the operand's k tile
///   EnterRun(walk)          prepares for the run that the walk has reached
///   Load(walk, k tiles...)  starts the loads of the run's next step, to registers or to TileInLds;
///                           past the last step they read as zero and touch no memory
///   Store(k tile, lds)      waits for the loads and writes the operand's tile to LDS
template <class LoadA, class LoadB, class Walk>
struct Operands {
  LoadA a;
  LoadB b;
  Walk walk;
  int run = 0;  // steps of the run that remain after those of Loop's segment

  struct KTile {
    typename LoadA::KTile a;
    typename LoadB::KTile b;
  };

  /// Starts the loads of the next step. Called first for the first step, before the main loop.
  template <class... KTiles>
  GRIDWISE_DEVICE void LoadAhead(KTiles&... k_tiles) {
    if (run == 0) [[unlikely]]
      EnterRun();
    Load(k_tiles...);
    --run;
  }

  /// The same, to LDS buffer `buffer`.
  template <TileConfig kC>
  GRIDWISE_DEVICE void LoadAheadToLds(const KTileInLds<kC>& k_tile, int buffer) {
    if (run == 0) [[unlikely]]
      EnterRun();
    LoadToLds(k_tile, buffer);
    --run;
  }

  /// The main loop: repeats step(0), ..., step(kUnroll - 1), `steps` times in total, a multiple of
  /// kUnroll. Each step starts the loads of one step.
  ///
  /// A segment is the steps up to the end of the run or of the loop. Both ends are checked only
  /// where a segment ends, so a step has one branch. The loop is left only after step(kUnroll - 1),
  /// because the compiler makes several branches of every other exit.
  template <int kUnroll, class Step>
  GRIDWISE_DEVICE void Loop(int steps, Step step) {
    while (steps != 0) {
      int segment = NextSegment(steps);
      do {
#pragma clang loop unroll(full)
        for (int i = 0; i < kUnroll; ++i) {
          step(i);
          if (i < kUnroll - 1 && --segment == 0) [[unlikely]]
            segment = NextSegment(steps);
        }
      } while (--segment != 0);
    }
  }

  /// Starts the loads of a step of the main loop, for one or several k tiles.
  template <class... KTiles>
  GRIDWISE_DEVICE void Load(KTiles&... k_tiles) {
    a.Load(walk, k_tiles.a...);
    b.Load(walk, k_tiles.b...);
  }

  /// The same, to LDS buffer `buffer`.
  template <TileConfig kC>
  GRIDWISE_DEVICE void LoadToLds(const KTileInLds<kC>& k_tile, int buffer) {
    a.Load(walk, k_tile.a(buffer));
    b.Load(walk, k_tile.b(buffer));
  }

  /// Waits for the loads of a step and writes its k tile: A, followed by B.
  GRIDWISE_DEVICE void Store(const KTile& k_tile, char* lds) const {
    a.Store(k_tile.a, lds);
    b.Store(k_tile.b, lds + LoadA::kLdsBytes);
  }

 private:
  GRIDWISE_DEVICE void EnterRun() {
    run = walk.NextRun();
    a.EnterRun(walk);
    b.EnterRun(walk);
  }

  /// The steps of the next segment, which are subtracted from `left`, those of the loop.
  GRIDWISE_DEVICE int NextSegment(int& left) {
    if (run == 0) EnterRun();
    const int segment = run < left ? run : left;
    run -= segment;
    left -= segment;
    return segment;
  }
};

}  // namespace gridwise::tile
