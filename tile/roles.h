// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"
#include "tile/config.h"

namespace gridwise::tile {

/// Index of this wave in the workgroup.
template <TileConfig kC>
GRIDWISE_DEVICE int WaveOfWorkgroup() {
  return Uniform(ThreadId() / kC.mma.lanes());
}

/// Whether this wave multiplies. In the wavelet schedule the workgroup's last waves only load.
template <TileConfig kC>
GRIDWISE_DEVICE bool IsMathWave() {
  return kC.threads() == kC.math_threads() || WaveOfWorkgroup<kC>() < kC.waves.m * kC.waves.n;
}

/// Index of this thread among the kC.load_threads() that load: all threads, or those of the load
/// waves.
template <TileConfig kC>
GRIDWISE_DEVICE int LoadThread() {
  const int thread = ThreadId() - (kC.threads() - kC.load_threads());
  __builtin_assume(thread >= 0);
  return thread;
}

/// First row of a math wave in the tile, and its first column.
template <TileConfig kC>
GRIDWISE_DEVICE int WaveM() {
  return WaveOfWorkgroup<kC>() / kC.waves.n * kC.wave_m();
}
template <TileConfig kC>
GRIDWISE_DEVICE int WaveN() {
  return WaveOfWorkgroup<kC>() % kC.waves.n * kC.wave_n();
}
/// The first merged group of a math wave.
template <TileConfig kC>
GRIDWISE_DEVICE int WaveGroup() {
  return kC.merge == 1 ? 0 : WaveN<kC>() / kC.n_of_group();
}

/// Uniform `x` that storing a tile needs. Waves that wait meanwhile compute it here: math waves of
/// the wavelet schedule, while the first k tile is in flight, and those that join splits, while
/// their sums are. All others compute it where they use it.
template <TileConfig kC, class T>
GRIDWISE_DEVICE T WhileWaiting(T x) {
  if constexpr (kC.pipeline.schedule == Schedule::kWavelet || kC.has_fixup())
    asm volatile("" : "+s"(x));
  return x;
}

template <TileConfig kC>
GRIDWISE_DEVICE int Lane() {
  return ThreadId() % kC.mma.lanes();
}

}  // namespace gridwise::tile
