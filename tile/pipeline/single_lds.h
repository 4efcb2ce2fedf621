#pragma once

#include "core/arch/sync.h"
#include "tile/config.h"
#include "tile/pipeline/multiply_slab.h"

namespace gridwise::tile {

/// The main loop with one LDS buffer: while a slab is multiplied, the next one is on its way into
/// registers.
///
///   load 0 | store 0 | barrier | load 1, multiply 0 | barrier | store 1 | barrier | load 2,
///   multiply 1 | ...
template <TileConfig kC, class Operands>
GRIDWISE_DEVICE void SingleLdsLoop(Operands& operands, int steps, char* lds, WaveAcc<kC>& acc) {
  const MultiplySlab<kC> multiply(lds);
  typename Operands::Slab slab;
  operands.LoadAhead(slab);
  operands.Store(slab, lds);
  operands.template Loop<1>(steps - 1, [&](int) __attribute__((always_inline)) {
    BarrierLds();
    operands.Load(slab);
    SchedulingFence();  // loads are not put off among the matrix instructions
    multiply(acc);
    SchedulingFence();  // nothing that waits for the loads moves up among the matrix instructions
    BarrierLds();
    operands.Store(slab, lds);
  });
  BarrierLds();
  multiply(acc);
}

}  // namespace gridwise::tile
