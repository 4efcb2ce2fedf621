// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/warp_mma.h"
#include "hopper/depthwise/loads.h"
#include "hopper/depthwise/output_map.h"
#include "hopper/kernel/finish.h"

/// Backward-weight of depthwise convolutions, see hopper/depthwise/config.h. Lanes load pairs of
/// channels and store pairs of rows. While a unit is multiplied, the loads of the next are in
/// flight. Pixels that do not exist are zeros.

namespace gridwise::hopper {

template <DepthwiseWeightConfig kC>
struct DepthwiseWeightRoles {
  static constexpr int kThreads = kC.threads();
  using Sums = float[kC.rows][4];
  /// A lane's pairs of rows of a column of x: those at shift q of both halves of K are q and
  /// q + 4 further than its own.
  using Column = unsigned[kC.shifts() + kC.kPairs / 2];

  GRIDWISE_DEVICE static void Init(const DepthwiseWeightArgs&, SharedAddress) {}

  GRIDWISE_DEVICE static unsigned* StageAt(int i) {
    return reinterpret_cast<unsigned*>(dynamic_shared_memory) + i * kC.kStageWords;
  }

  GRIDWISE_DEVICE static void Read(Column& pairs, const unsigned* from) {
#pragma unroll
    for (int q = 0; q < kC.shifts(); ++q) {
      pairs[q] = from[q];
      pairs[q + kC.kPairs / 2] = from[q + kC.kPairs / 2];
    }
  }

  /// Adds the products of a unit in a stage to a warp's sums.
  GRIDWISE_DEVICE static void Multiply(Sums& sums, const unsigned* stage, int columns) {
    constexpr int kHalf = kC.kPairs / 2;
    const int warp = ThreadId() / 32, lane = ThreadId() % 32, column = lane / 4, pair = lane % 4;
    const unsigned* x = stage + warp * kC.kChannelX + column * kC.kPitchX + pair;
    const unsigned* dy =
        stage + kC.kChannels * kC.kChannelX + warp * kC.kChannelDy + column * kC.kPitchDy + pair;
    Column low, high;
    Read(low, x);
    SyncWarp();  // reconverges lanes: products need whole warps
#pragma clang loop unroll(disable)
    for (int w = 0; w < columns; w += kC.kOfProduct) {
      x += kC.kOfProduct * kC.kPitchX;
      Read(high, x);
      const unsigned b[2][2] = {{dy[0], dy[kHalf]}, {dy[kC.kPairs], dy[kC.kPairs + kHalf]}};
      dy += kC.kOfProduct * kC.kPitchDy;
#pragma unroll
      for (int r = 0; r < kC.rows; ++r) {
        const int q = r / 2;
        const Matrices4 a = {{low[q], high[q], low[q + kHalf], high[q + kHalf]}};
        WarpMma<kC.type>(sums[r], a, b[r % 2][0], b[r % 2][1]);
      }
#pragma unroll
      for (int q = 0; q < kC.shifts(); ++q) {
        low[q] = high[q];
        low[q + kHalf] = high[q + kHalf];
      }
    }
  }

  /// Adds up the products of each tap and stores them. Nobody reads the stages anymore.
  GRIDWISE_DEVICE static void StoreTaps(const DepthwiseWeightArgs& args, const DepthwiseWork& work,
                                        const Sums& sums) {
    constexpr int kOfRow = 16 * kC.kOfProduct;
    const int warp = ThreadId() / 32, lane = ThreadId() % 32;
    float* const products =
        reinterpret_cast<float*>(dynamic_shared_memory) + warp * kC.rows * kOfRow;
#pragma unroll
    for (int r = 0; r < kC.rows; ++r) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
        products[r * kOfRow + row * kC.kOfProduct + column] = sums[r][i];
      }
    }
    SyncWarp();
    const DepthwiseOutputMap<kC> output = {args, work};
    const Finisher<DepthwiseOutputMap<kC>, Element<kC.type>> finish(args.epilogue, output,
                                                                    work.split);
    const auto row = finish.FindRow(warp);
#pragma clang loop unroll(disable)
    for (int tap = lane; tap < args.taps_h * args.taps_w; tap += 32) {
      const int r = tap / args.taps_w, s = tap - r * args.taps_w;
      float sum = 0;
#pragma unroll
      for (int i = 0; i < kC.kOfProduct; ++i) {
        sum += products[r * kOfRow + (i + s) * kC.kOfProduct + i];
      }
      finish.Store(Vec<float, 1>{sum}, row, tap);
    }
  }

  GRIDWISE_DEVICE static void Run(const DepthwiseWeightArgs& args, SharedAddress) {
    const DepthwiseWork work(args);
    Sums sums = {};
    DepthwiseLoads<kC> loads;
    int columns = 0;
    // Unit i is loaded while the one before is multiplied.
    for (int i = work.first; i <= work.end; ++i) {
      int next = 0;
      if (i < work.end) {
        const DepthwiseUnit unit(args, i);
        next = loads.Columns(args, unit);
        loads.Begin(args, work, unit);
      }
      if (i > work.first) Multiply(sums, StageAt((i - 1) % kC.kStages), columns);
      if (i < work.end) loads.Store(StageAt(i % kC.kStages), next);
      columns = next;
      WaitAt(0, kThreads);
    }
    StoreTaps(args, work, sums);
  }
};

}  // namespace gridwise::hopper
