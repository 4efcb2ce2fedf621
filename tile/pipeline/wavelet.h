#pragma once

#include "core/arch/sync.h"
#include "tile/config.h"
#include "tile/pipeline/multiply_slab.h"

namespace gridwise::tile {

/// The main loop with specialised waves and two LDS buffers: load waves compute addresses, load and
/// write a slab while math waves read and multiply the one before it; the loop of a math wave
/// has no index arithmetic, and that of a load wave no matrix instructions. Both roles pass `steps`
/// barriers: one per step, after which the slab is in its buffer and the one before it has been
/// multiplied, so that its buffer is free.
///
///   load   load 0, 1 | store 0 | barrier | load 2, store 1 | barrier | load 3, store 2 | ...
///   math                       | barrier | multiply 0      | barrier | multiply 1      | ...
template <TileConfig kC, class Operands>
GRIDWISE_DEVICE void WaveletLoadLoop(Operands operands, int steps, char* lds) {
  static_assert(kC.slabs_in_flight() == 2);
  typename Operands::Slab slab[2];
  operands.Load(slab[0]);
  operands.Load(slab[1]);
  operands.Store(slab[0], lds);
  for (;;) {
#pragma clang loop unroll(full)
    for (int i = 0; i < 2; ++i) {
      BarrierLds();
      if (--steps == 0) return;
      operands.Load(slab[i]);
      operands.Store(slab[1 - i], lds + (1 - i) * kC.slab_bytes());
    }
  }
}

template <TileConfig kC>
GRIDWISE_DEVICE void WaveletMathLoop(int steps, const char* lds, WaveAcc<kC>& acc) {
  const MultiplySlab<kC> multiply(lds);
  for (;;) {
#pragma clang loop unroll(full)
    for (int i = 0; i < 2; ++i) {
      BarrierLds();
      multiply(acc, i);
      if (--steps == 0) return;
    }
  }
}

}  // namespace gridwise::tile
