// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/sync.h"
#include "tile/config.h"
#include "tile/pipeline/multiply_k_tile.h"

namespace gridwise::tile {

/// The main loop with specialized waves and two LDS buffers. Load waves compute addresses, load,
/// and write a k tile, while math waves read and multiply the previous one. The loop of a math wave
/// has no index arithmetic, and that of a load wave no matrix instructions. Both roles pass `steps`
/// barriers, one per step. After it, the k tile is in its buffer, and the previous one has been
/// multiplied, which frees its buffer.
///
///   load   load 0, 1 | store 0 | barrier | load 2, store 1 | barrier | load 3, store 2 | ...
///   math                       | barrier | multiply 0      | barrier | multiply 1      | ...
template <TileConfig kC, class Operands>
GRIDWISE_DEVICE void WaveletLoadLoop(Operands& operands, int steps, char* lds) {
  static_assert(kC.k_tiles_in_flight() == 2);
  typename Operands::KTile k_tile[2];
  operands.LoadAhead(k_tile[0]);
  operands.LoadAhead(k_tile[1]);
  SetPriority<0>();
  operands.Store(k_tile[0], lds);
  // A run begins while the previous k tile is on its way to LDS.
  const int rest = (steps - 1) % 2;
  operands.template Loop<2>(steps - 1 - rest, [&](int i) __attribute__((always_inline)) {
    BarrierLds();
    operands.Load(k_tile[i]);
    SchedulingFence();  // loads are not delayed until others are waited for
    operands.Store(k_tile[1 - i], lds + (1 - i) * kC.k_tile_bytes());
  });
  BarrierLds();
  if (rest != 0) {
    operands.Store(k_tile[1], lds + kC.k_tile_bytes());
    BarrierLds();
  }
}

template <TileConfig kC>
GRIDWISE_DEVICE void WaveletMathLoop(int steps, const char* lds, WaveAcc<kC>& acc) {
  acc.Clear();
  const MultiplyKTile<kC> multiply(lds);
  const auto step = [&](int buffer) __attribute__((always_inline)) {
    BarrierLds();
    multiply(acc, buffer);
  };
  for (int pairs = steps / 2; pairs != 0; --pairs) {
    step(0);
    step(1);
  }
  if (steps % 2 != 0) step(0);
}

}  // namespace gridwise::tile
