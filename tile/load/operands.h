#pragma once

#include "core/arch/memory.h"
#include "tile/config.h"
#include "tile/roles.h"

namespace gridwise::tile {

/// Where a lane's loads of an operand's tile go, in place of registers: load i of all waves fills
/// the i-th part of the tile, a piece per wave.
template <TileConfig kC>
class TileInLds {
 public:
  /// `first` is where the wave's first piece of the tile is.
  GRIDWISE_DEVICE explicit TileInLds(char* first) : first_(first) {}

  GRIDWISE_DEVICE LdsPiece operator[](int i) const {
    return {first_ + i * kC.load_threads() * LdsTile::kChunkBytes};
  }

 private:
  char* const first_;
};

/// LDS buffers for slabs, as loads to LDS see them.
template <TileConfig kC>
class SlabInLds {
 public:
  GRIDWISE_DEVICE explicit SlabInLds(char* lds)
      : first_(lds + Uniform(LoadThread<kC>() / kC.mma.lanes()) * kC.mma.lanes() *
                         LdsTile::kChunkBytes) {}

  GRIDWISE_DEVICE TileInLds<kC> a(int buffer) const {
    return TileInLds<kC>(first_ + buffer * kC.slab_bytes());
  }
  GRIDWISE_DEVICE TileInLds<kC> b(int buffer) const {
    return TileInLds<kC>(first_ + buffer * kC.slab_bytes() + kC.lds_a().bytes());
  }

 private:
  char* const first_;  // of the wave
};

/// What the loading waves of a workgroup hold: the loaders of A and B, and the walk over K that
/// they follow. A loader has
///   Slab               registers of this lane for its part of the operand's slab
///   Load(walk, slab)   starts the loads of the walk's step, to registers or to TileInLds; past the
///                      last step they read as zero and touch no memory
///   Store(slab, lds)   waits for them and writes the operand's tile in LDS
template <class LoadA, class LoadB, class Walk>
struct Operands {
  LoadA a;
  LoadB b;
  Walk walk;

  struct Slab {
    typename LoadA::Slab a;
    typename LoadB::Slab b;
  };

  /// Starts the loads of the next step, the first one at first.
  GRIDWISE_DEVICE void Load(Slab& slab) {
    a.Load(walk, slab.a);
    b.Load(walk, slab.b);
    walk.Advance();
  }

  /// The same, to LDS buffer `buffer`.
  template <TileConfig kC>
  GRIDWISE_DEVICE void LoadToLds(const SlabInLds<kC>& slab, int buffer) {
    a.Load(walk, slab.a(buffer));
    b.Load(walk, slab.b(buffer));
    walk.Advance();
  }

  /// Waits for the loads of a step and writes its slab: A, and B behind it.
  GRIDWISE_DEVICE void Store(const Slab& slab, char* lds) const {
    a.Store(slab.a, lds);
    b.Store(slab.b, lds + LoadA::kLdsBytes);
  }
};

}  // namespace gridwise::tile
