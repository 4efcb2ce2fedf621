// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/sync.h"
#include "tile/config.h"
#include "tile/pipeline/direct_lds.h"
#include "tile/pipeline/double_lds.h"
#include "tile/pipeline/single_lds.h"
#include "tile/pipeline/wavelet.h"
#include "tile/roles.h"

namespace gridwise::tile {

/// Computes the tile, A * B over the steps of K, by the config's schedule, and stores it.
/// `with_operands(use)` computes the addresses of the Operands, of the kind that the problem needs,
/// and calls `use` with them; the waves that load call it. `with_store(use)` does the same for the
/// StoreTile that ends the kernel, in waves that have sums.
template <TileConfig kC, class WithOperands, class WithStore>
GRIDWISE_DEVICE void MainLoop(WithOperands with_operands, int steps, char* lds,
                              WithStore with_store) {
  if constexpr (kC.pipeline.schedule == Schedule::kWavelet) {
    if (IsMathWave<kC>()) {
      // Computes where the tile goes while the first k tile is in flight.
      with_store([&](auto store) __attribute__((always_inline)) {
        WaveAcc<kC> acc;  // [wave_m][wave_n]
        WaveletMathLoop<kC>(steps, lds, acc);
        BarrierLds();  // the operands have been read
        store.Store(acc);
      });
    } else {
      SetPriority<1>();  // all wait for the first k tile
      if (steps != 0) [[likely]] {
        with_operands([&](auto operands) __attribute__((always_inline)) {
          WaveletLoadLoop<kC>(operands, steps, lds);
        });
      }
      BarrierLds();  // the operands have been read
    }
    return;
  }
  WaveAcc<kC> acc;  // [wave_m][wave_n]
  if (steps == 0) {
    acc.Clear();
  } else {
    with_operands([&](auto operands) __attribute__((always_inline)) {
      if constexpr (kC.pipeline.schedule == Schedule::kSingle) {
        SingleLdsLoop<kC>(operands, steps, lds, acc);
      } else if constexpr (kC.pipeline.schedule == Schedule::kDouble) {
        DoubleLdsLoop<kC>(operands, steps, lds, acc);
      } else if constexpr (kC.pipeline.schedule == Schedule::kDirect) {
        DirectLdsLoop<kC>(operands, steps, lds, acc);
      }
    });
  }
  WaitMatrix();
  BarrierLds();  // the operands have been read
  with_store([&](auto store) __attribute__((always_inline)) { store.Store(acc); });
}

}  // namespace gridwise::tile
