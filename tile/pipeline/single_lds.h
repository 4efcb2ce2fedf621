// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/sync.h"
#include "tile/config.h"
#include "tile/pipeline/multiply_k_tile.h"

namespace gridwise::tile {

/// The main loop with one LDS buffer: while a k tile is multiplied, the next one is in flight to
/// registers.
///
///   load 0 | store 0 | barrier | load 1, multiply 0 | barrier | store 1 | barrier | load 2,
///   multiply 1 | ...
///
/// A step of two k tiles loads both together, vector by vector. A k tile's rows may be half a
/// memory line, and the vector cache has lost the line by the time a later step asks for its other
/// half.
///
///   load 0, 1 | store 0 | barrier | multiply 0 | barrier | store 1 | barrier | load 2, 3, multiply
///   1 | barrier | store 2 | barrier | multiply 2 | ...
template <TileConfig kC, class Operands>
GRIDWISE_DEVICE void SingleLdsLoop(Operands& operands, int steps, char* lds, WaveAcc<kC>& acc) {
  constexpr bool kTwo = kC.k_tiles_of_step() == 2;
  const MultiplyKTile<kC> multiply(lds);
  typename Operands::KTile first, second;
  const auto load = [&](auto start) __attribute__((always_inline)) {
    if constexpr (kTwo) {
      start(first, second);
    } else {
      start(first);
    }
  };
  const auto multiply_first = [&]() __attribute__((always_inline)) {  // of two
    BarrierLds();
    multiply(acc);
    SchedulingFence();  // nothing that waits for the loads moves up into the matrix instructions
    BarrierLds();
    operands.Store(second, lds);
  };
  load([&](auto&... k_tiles) __attribute__((always_inline)) { operands.LoadAhead(k_tiles...); });
  SchedulingFence();  // loads are not delayed
  acc.Clear();
  operands.Store(first, lds);
  operands.template Loop<1>(steps - 1, [&](int) __attribute__((always_inline)) {
    if constexpr (kTwo) multiply_first();
    BarrierLds();
    load([&](auto&... k_tiles) __attribute__((always_inline)) { operands.Load(k_tiles...); });
    SchedulingFence();  // loads are not delayed into the matrix instructions
    multiply(acc);
    SchedulingFence();  // nothing that waits for the loads moves up into the matrix instructions
    BarrierLds();
    operands.Store(first, lds);
  });
  if constexpr (kTwo) multiply_first();
  BarrierLds();
  multiply(acc);
}

}  // namespace gridwise::tile
