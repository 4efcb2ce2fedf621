#pragma once

#include "core/arch/sync.h"
#include "tile/config.h"
#include "tile/pipeline/multiply_k_tile.h"

namespace gridwise::tile {

/// The main loop with two LDS buffers, and kKTiles = 1, 2 or 4 k tiles on their way into registers:
/// one for compute-bound shapes, more where memory is slow and steps are short. One barrier per
/// step, after which the k tile is in its buffer and the one before it has been multiplied, so that
/// its buffer is free.
///
///   load 0 .. kKTiles - 1 | store 0 | barrier | load kKTiles, multiply 0, store 1 | barrier | load
///   kKTiles + 1, multiply 1, store 2 | ...
template <TileConfig kC, class Operands>
GRIDWISE_DEVICE void DoubleLdsLoop(Operands& operands, int steps, char* lds, WaveAcc<kC>& acc) {
  constexpr int kKTiles = kC.k_tiles_in_flight();
  constexpr int kUnroll = kKTiles < 2 ? 2 : kKTiles;  // which buffer and which registers: constants
  const MultiplyKTile<kC> multiply(lds);
  typename Operands::KTile k_tile[kKTiles];
  for (int i = 0; i < kKTiles; ++i) operands.LoadAhead(k_tile[i]);
  SchedulingFence();  // loads are not put off
  acc.Clear();
  operands.Store(k_tile[0], lds);
  const int rest = steps % kUnroll;
  operands.template Loop<kUnroll>(steps - rest, [&](int i) __attribute__((always_inline)) {
    BarrierLds();
    operands.Load(k_tile[i % kKTiles]);
    SchedulingFence();  // loads are not put off among the matrix instructions
    multiply(acc, i % 2);
    SchedulingFence();  // nothing that waits for the loads moves up among the matrix instructions
    operands.Store(k_tile[(i + 1) % kKTiles], lds + (i + 1) % 2 * kC.k_tile_bytes());
  });
#pragma clang loop unroll(full)
  for (int i = 0; i < kUnroll - 1; ++i) {  // the last ones, which are loaded
    if (i < rest) {
      BarrierLds();
      multiply(acc, i % 2);
      operands.Store(k_tile[(i + 1) % kKTiles], lds + (i + 1) % 2 * kC.k_tile_bytes());
    }
  }
}

}  // namespace gridwise::tile
