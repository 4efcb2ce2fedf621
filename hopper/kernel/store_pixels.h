// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/hopper.h"
#include "hopper/kernel/finish.h"
#include "hopper/kernel/ring.h"

/// Stores where w is A: a warpgroup has 64 channels as rows, and pixels as columns.

namespace gridwise::hopper {

/// A warp puts its 16 channels of kPixels pixels into shared memory, from which TMA stores 64
/// channels of each pixel, with the 128-byte swizzle.
template <int kPixels, DataType kType>
GRIDWISE_DEVICE void StagePixels(SharedAddress to, const float* d) {
  const int lane = ThreadId() % 32, piece = ThreadId() % 128 / 32 * 2 + lane / 8 % 2;
  const SharedAddress mine = to + lane % 8 * 128 + (piece ^ lane % 8) * 16;
#pragma unroll
  for (int j = 0; j < kPixels / 8; j += 2) {
    const float* const v = d + j * 4;
    if (j + 1 < kPixels / 8) {
      StoreTransposed4(mine + (j + lane / 16) * 1024, Pack<kType>(v[0], v[1]),
                       Pack<kType>(v[2], v[3]), Pack<kType>(v[4], v[5]), Pack<kType>(v[6], v[7]));
    } else {
      StoreTransposed2(mine + j * 1024, Pack<kType>(v[0], v[1]), Pack<kType>(v[2], v[3]));
    }
  }
}

/// TMA stores 64 channels of a tile's pixels, the `rep`-th ones of a warpgroup, which calls this as
/// a whole.
template <Config kC>
GRIDWISE_DEVICE void StorePixelsByBoxes(const TensorMap& out, SharedAddress staging, int group,
                                        int rep, int pixel, int channel, int channel_group,
                                        const float (&d)[kC.columns / 2]) {
  constexpr int kPixels = kC.stored_columns(), kTiles = kC.columns / kPixels;
  const bool is_first = ThreadId() % 128 == 0;
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
    const int turn = rep * kTiles + tile;
    const SharedAddress buffer = staging + turn % kC.buffers() * kC.buffer_bytes();
    if (is_first) {
      if (turn == 0) {
        WaitStoresRead<0>();  // of the tile before, which may have used either buffer last
      } else {
        WaitStoresRead<kC.buffers() - 1>();
      }
    }
    WaitAt(StoreBarrier(group), 128);
    StagePixels<kPixels, kC.type>(buffer, d + tile * (kPixels / 2));
    FenceAsyncProxy();
    WaitAt(StoreBarrier(group), 128);
    if (is_first) {
      StoreBox(out, buffer, channel, channel_group, pixel + tile * kPixels);
      CommitStores();
    }
  }
}

/// Lanes store the same with any epilogue; 8 pixels at a time pass through shared memory.
template <int kColumns, class Finish>
GRIDWISE_DEVICE void StorePixelsByElements(const Finish& finish, char* staging, int group,
                                           int first_channel, const float (&d)[kColumns / 2]) {
  using Four = Vec<float, 4>;
  const int thread = ThreadId() % 128, lane = thread % 32;
  auto* const sums = reinterpret_cast<float*>(staging);
#pragma clang loop unroll(disable)
  for (int first = 0; first < kColumns; first += 8) {
    WaitAt(StoreBarrier(group), 128);
#pragma unroll
    for (int j = 0; j < kColumns / 8; ++j) {  // registers cannot be indexed
      if (j * 8 != first) continue;
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int channel = thread / 32 * 16 + lane / 4 + i / 2 * 8;
        sums[(lane % 4 * 2 + i % 2) * 64 + channel] = d[j * 4 + i];
      }
    }
    WaitAt(StoreBarrier(group), 128);
    const int pixel = thread / 16, channel = thread % 16 * 4;
    finish.Store(reinterpret_cast<const Four*>(sums)[thread], finish.FindRow(first + pixel),
                 first_channel + channel);
  }
}

}  // namespace gridwise::hopper
