// SPDX-License-Identifier: MIT
#pragma once

#include "core/conv/gemm_map.h"
#include "hopper/base/args.h"
#include "hopper/kernel/ring.h"

namespace gridwise::hopper {

/// Number of producer warps: one, unless the roles say.
template <class Roles>
constexpr int ProducersOf() {
  if constexpr (requires { Roles::kProducers; }) {
    return Roles::kProducers;
  } else {
    return 1;
  }
}

/// Starts to fetch this workgroup's share of small operands. Called by one thread.
template <class Args>
GRIDWISE_DEVICE void FetchShares(const Args& args) {
#pragma unroll
  for (const FetchedArgs& operand : args.fetched) {
    const int first = BlockIdX() * operand.share, rest = operand.bytes - first;
    if (rest <= 0) continue;
    // Operands that lanes load may begin at multiples of 8.
    const unsigned long from = reinterpret_cast<unsigned long>(operand.data) / 16 * 16;
    FetchIntoL2(reinterpret_cast<const char*>(from) + first,
                rest < operand.share ? rest : operand.share);
  }
}

/// Runs a kernel's two roles: producer warps in the last warpgroup, and `kGroups` consumer
/// warpgroups. Roles::Init (called by the first producer thread), Fill (by all threads, if it
/// exists), Produce and Consume take the arguments and the workgroup's shared memory. All lanes of
/// a producer warp compute the same, and one passes it on, see IsElected.
///
/// A single producer warp need not wait for others: it initializes the barriers itself.
template <int kGroups, class Roles, class Args>
GRIDWISE_DEVICE void RunRoles(const Args& args) {
  constexpr int kThreads = 128 * (kGroups + 1);
  const SharedAddress base = DynamicSharedMemory();
  LetNextLaunchBegin();
  constexpr int kFirst = 4 * kGroups, kProducers = ProducersOf<Roles>();
  constexpr bool kFills = requires { Roles::Fill(args, base); };
  const int warp = WarpId();
  if (ThreadId() == 32 * kFirst) Roles::Init(args, base);
  if (ThreadId() == 32 * kFirst + 32) FetchShares(args);
  if constexpr (kFills) Roles::Fill(args, base);
  WaitForLaunchBefore();
  SyncWarp();
  if (kProducers == 1 && !kFills && warp == kFirst) {
    ArriveAt(0, kThreads);
  } else {
    WaitAt(0, kThreads);
  }
  // Each thread begins with its share of the registers. The producer must have given up what
  // consumers take beyond that; otherwise they wait forever.
  constexpr int kAtStart = 65536 / kThreads / 8 * 8, kProducer = kGroups == 2 ? 40 : 32;
  constexpr int kLeft = ((kGroups + 1) * kAtStart - kProducer) / kGroups / 8 * 8;
  constexpr int kConsumer = kLeft < 240 ? kLeft : 240;
  if (warp >= kFirst) {
    if constexpr (kGroups > 1) GiveRegisters<kProducer>();
    if (warp < kFirst + kProducers) Roles::Produce(args, base);
  } else {
    if constexpr (kGroups > 1) TakeRegisters<kConsumer>();
    Roles::Consume(args, base);
  }
}

/// Runs a kernel whose warps all have the same role.
template <class Roles, class Args>
GRIDWISE_DEVICE void RunWarpRoles(const Args& args) {
  const SharedAddress base = DynamicSharedMemory();
  LetNextLaunchBegin();
  if (ThreadId() == Roles::kThreads - 32) FetchShares(args);
  Roles::Init(args, base);
  WaitForLaunchBefore();
  WaitAt(0, Roles::kThreads);
  Roles::Run(args, base);
}

GRIDWISE_DEVICE int Quotient(int n, MagicDiv by) {
  return static_cast<int>(Divide(static_cast<unsigned>(n), by));
}

GRIDWISE_DEVICE int Min(int a, int b) { return a < b ? a : b; }

/// The source pixel that the first tap pairs with the pixel of a row.
GRIDWISE_DEVICE PixelAt SourceOf(const SubGemm& gemm, const AxisStrides* strides,
                                 PhasePixel pixel) {
  return {.w = SourcePixel(gemm.axis[2], strides[2], pixel.j[2], 0),
          .h = SourcePixel(gemm.axis[1], strides[1], pixel.j[1], 0),
          .d = SourcePixel(gemm.axis[0], strides[0], pixel.j[0], 0),
          .image = pixel.n};
}
/// Address of the source's f32 elements at a pixel moved by a tap; null if it is outside of the
/// tensor.
GRIDWISE_DEVICE const float* SourceOf(const ExactArgs& args, const PixelAt& pixel,
                                      const int (&move)[3]) {
  const int at[3] = {pixel.d + move[0], pixel.h + move[1], pixel.w + move[2]};
  const float* source = args.source + pixel.image * args.source_image;
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    if (at[axis] < 0 || at[axis] >= args.source_size[axis]) return nullptr;
    source += at[axis] * args.source_pixel[axis];
  }
  return source;
}

}  // namespace gridwise::hopper
