// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/sync.h"
#include "tile/config.h"
#include "tile/load/operands.h"
#include "tile/pipeline/multiply_fragments.h"

namespace gridwise::tile {

/// The main loop with kBuffers = 2 or 3 LDS buffers that loads fill without passing through
/// registers: no LDS writes, and no registers that hold k tiles in flight. There is one barrier per
/// step. After it, all waves' loads of the k tile are done, and the previous k tile has been
/// multiplied, which frees its buffer. With 3 buffers the next k tile stays in flight across the
/// barrier.
///
///   load 0 .. kBuffers - 2 | wait for 0, barrier | read 0, load kBuffers - 1, multiply 0 | wait
///   for 1, barrier | read 1, load kBuffers, multiply 1 | ...
///
/// A step reads all of its fragments before it starts loads. With 3 buffers there is time for loads
/// to start late. The reads after the first k_fragment's are then spread over the matrix
/// instructions of the previous k_fragment, unless these are fewer than the reads and take no
/// longer.
///
/// With 2 buffers and k tiles that take long to multiply, loads are spread over the matrix
/// instructions. The address unit takes as long for one load as for two matrix instructions. A wave
/// that issues all loads at once waits for it while the matrix unit is idle.
template <TileConfig kC, class Operands>
GRIDWISE_DEVICE void DirectLdsLoop(Operands& operands, int steps, char* lds, WaveAcc<kC>& acc) {
  constexpr int kBuffers = kC.lds_buffers();
  using Multiply = MultiplyFragments<kC>;
  constexpr bool kSpreads = kBuffers > 2 && Multiply::kMatrix >= Multiply::kReads;
  constexpr int kEarly = kSpreads ? 1 : Multiply::kFragments;         // k_fragments read at once
  constexpr int kOfKTile = Multiply::kFragments * Multiply::kMatrix;  // matrix instructions
  constexpr int kLoads =                                              // per lane and k tile
      kC.k_tile_bytes() / LdsTile::kVectorBytes / kC.load_threads();
  constexpr bool kSpreadsLoads = kBuffers == 2 && kOfKTile >= 16;
  const Multiply multiply(lds);
  const KTileInLds<kC> k_tile(lds);
  for (int i = 0; i < kBuffers - 1; ++i) operands.LoadAheadToLds(k_tile, i);
  SchedulingFence();  // loads are not delayed
  acc.Clear();
  const auto step = [&](int i, bool loads) __attribute__((always_inline)) {
    typename Multiply::Fragments fragments[Multiply::kFragments];
    for (int k_fragment = 0; k_fragment < kEarly; ++k_fragment)
      multiply.Read(k_fragment, i, fragments[k_fragment]);
    SchedulingFence();
    for (int k_fragment = kEarly; k_fragment < Multiply::kFragments; ++k_fragment) {
      multiply.Read(k_fragment, i, fragments[k_fragment]);
      Multiply::Multiply(fragments[k_fragment - kEarly], acc);
    }
    constexpr int kLate = Multiply::kFragments - kEarly;
    SpreadAmongMatrix<Spread::kLdsReads, kLate * Multiply::kReads, kLate * Multiply::kMatrix>();
    SchedulingFence();
    if (loads) operands.LoadToLds(k_tile, (i + kBuffers - 1) % kBuffers);
    for (int k_fragment = kLate; k_fragment < Multiply::kFragments; ++k_fragment) {
      Multiply::Multiply(fragments[k_fragment], acc);
    }
    if (loads && kSpreadsLoads) {
      SpreadAmongMatrix<Spread::kLoads, kLoads, kOfKTile, /*kMax=*/2>();
    }
  };
  const int rest = steps % kBuffers;
  operands.template Loop<kBuffers>(steps - rest, [&](int i) __attribute__((always_inline)) {
    BarrierLoads<(kBuffers - 2) * kLoads>();
    step(i, /*loads=*/true);
  });
#pragma clang loop unroll(full)
  for (int i = 0; i < kBuffers - 1; ++i) {  // the last steps, whose k tiles are loaded
    if (i < rest) {
      BarrierLoads<0>();
      step(i, /*loads=*/false);
    }
  }
  BarrierLoads<0>();  // loads past the last step write zeros, and LDS has other uses next
}

}  // namespace gridwise::tile
