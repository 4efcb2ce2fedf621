// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/sync.h"
#include "tile/config.h"
#include "tile/pipeline/multiply_k_tile.h"

namespace gridwise::tile {

/// The main loop with two LDS buffers and kKTiles = 1, 2 or 4 k tiles in flight to registers: one
/// for compute-bound shapes, more where memory is slow and steps are short. There is one barrier
/// per step. After it, the k tile is in its buffer, and the previous k tile has been multiplied,
/// which frees its buffer.
///
///   load 0 .. kKTiles - 1 | store 0 | barrier | load kKTiles, multiply 0, store 1 | barrier | load
///   kKTiles + 1, multiply 1, store 2 | ...
template <TileConfig kC, class Operands>
GRIDWISE_DEVICE void DoubleLdsLoop(Operands& operands, int steps, char* lds, WaveAcc<kC>& acc) {
  constexpr int kKTiles = kC.k_tiles_in_flight();
  constexpr int kUnroll = kKTiles < 2 ? 2 : kKTiles;  // the buffer and the registers are constants
  const MultiplyKTile<kC> multiply(lds);
  typename Operands::KTile k_tile[kKTiles];
  for (int i = 0; i < kKTiles; ++i) operands.LoadAhead(k_tile[i]);
  SchedulingFence();  // loads are not delayed
  acc.Clear();
  operands.Store(k_tile[0], lds);
  const int rest = steps % kUnroll;
  operands.template Loop<kUnroll>(steps - rest, [&](int i) __attribute__((always_inline)) {
    BarrierLds();
    operands.Load(k_tile[i % kKTiles]);
    SchedulingFence();  // loads are not delayed into the matrix instructions
    multiply(acc, i % 2);
    SchedulingFence();  // nothing that waits for the loads moves up into the matrix instructions
    operands.Store(k_tile[(i + 1) % kKTiles], lds + (i + 1) % 2 * kC.k_tile_bytes());
  });
#pragma clang loop unroll(full)
  for (int i = 0; i < kUnroll - 1; ++i) {  // the last steps, whose k tiles are loaded
    if (i < rest) {
      BarrierLds();
      multiply(acc, i % 2);
      operands.Store(k_tile[(i + 1) % kKTiles], lds + (i + 1) % 2 * kC.k_tile_bytes());
    }
  }
}

}  // namespace gridwise::tile
