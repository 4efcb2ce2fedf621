#pragma once

#include "core/arch/sync.h"
#include "tile/config.h"
#include "tile/pipeline/multiply_slab.h"

namespace gridwise::tile {

/// The main loop with two LDS buffers, and kSlabs = 1, 2 or 4 slabs on their way into registers:
/// one for compute-bound shapes, more where memory is slow and steps are short. One barrier per
/// step, after which the slab is in its buffer and the one before it has been multiplied, so that
/// its buffer is free.
///
///   load 0 .. kSlabs - 1 | store 0 | barrier | load kSlabs, multiply 0, store 1 | barrier | load
///   kSlabs + 1, multiply 1, store 2 | ...
template <TileConfig kC, class Operands>
GRIDWISE_DEVICE void DoubleLdsLoop(Operands& operands, int steps, char* lds, WaveAcc<kC>& acc) {
  constexpr int kSlabs = kC.slabs_in_flight();
  constexpr int kUnroll = kSlabs < 2 ? 2 : kSlabs;  // which buffer and which registers: constants
  const MultiplySlab<kC> multiply(lds);
  typename Operands::Slab slab[kSlabs];
  for (int i = 0; i < kSlabs; ++i) operands.LoadAhead(slab[i]);
  SchedulingFence();  // loads are not put off
  acc.Clear();
  operands.Store(slab[0], lds);
  const int rest = steps % kUnroll;
  operands.template Loop<kUnroll>(steps - rest, [&](int i) __attribute__((always_inline)) {
    BarrierLds();
    operands.Load(slab[i % kSlabs]);
    SchedulingFence();  // loads are not put off among the matrix instructions
    multiply(acc, i % 2);
    SchedulingFence();  // nothing that waits for the loads moves up among the matrix instructions
    operands.Store(slab[(i + 1) % kSlabs], lds + (i + 1) % 2 * kC.slab_bytes());
  });
#pragma clang loop unroll(full)
  for (int i = 0; i < kUnroll - 1; ++i) {  // the last ones, which are loaded
    if (i < rest) {
      BarrierLds();
      multiply(acc, i % 2);
      operands.Store(slab[(i + 1) % kSlabs], lds + (i + 1) % 2 * kC.slab_bytes());
    }
  }
}

}  // namespace gridwise::tile
