#pragma once

#include "ck/arch/gpu.h"

namespace gridwise::tile {

/// What the loading waves of a workgroup hold: the loaders of A and B, and the walk over K that
/// they follow. A loader has
///   Slab               registers of this lane for its part of the operand's slab
///   Load(walk, slab)   starts the loads of the walk's step; past the last step they read as zero
///                      and touch no memory
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

  /// Waits for the loads of a step and writes its slab: A, and B behind it.
  GRIDWISE_DEVICE void Store(const Slab& slab, char* lds) const {
    a.Store(slab.a, lds);
    b.Store(slab.b, lds + LoadA::kLdsBytes);
  }
};

}  // namespace gridwise::tile
