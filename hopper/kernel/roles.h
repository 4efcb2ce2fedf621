#pragma once

#include "core/conv/gemm_map.h"
#include "hopper/kernel/ring.h"

namespace gridwise::hopper {

/// Runs a kernel's two roles: a thread of the last warpgroup produces slabs, the others consume
/// them. Roles::Produce and Consume take the arguments and the workgroup's shared memory.
template <Config kC, class Roles, class Args>
GRIDWISE_DEVICE void RunRoles(const Args& args) {
  static_assert(Reject(kC) == nullptr, "the row does not suit the target");
  const SharedAddress base = DynamicSharedMemory();
  if (ThreadId() == 0) Ring<kC>::Init(base);
  WaitAt(0, kC.threads());
  // A kernel of 3 or 4 warpgroups begins with 168 or 128 registers a thread, and what consumers
  // take beyond that the producer must have given: else they wait for ever.
  constexpr int kAtStart = kC.groups == 2 ? 168 : 128;
  constexpr int kProducer = kC.groups == 2 ? 40 : 32, kConsumer = kC.groups == 2 ? 232 : 160;
  static_assert(kProducer + kC.groups * kConsumer <= (kC.groups + 1) * kAtStart);
  if (ThreadId() >= 128 * kC.groups) {
    if constexpr (kC.groups > 1) GiveRegisters<kProducer>();
    if (ThreadId() == 128 * kC.groups) Roles::Produce(args, base);
  } else {
    if constexpr (kC.groups > 1) TakeRegisters<kConsumer>();
    Roles::Consume(args, base);
  }
}

/// The source cell that the first tap pairs with a row's cell.
GRIDWISE_DEVICE CellAt SourceOf(const SubGemm& gemm, const AxisStrides* strides, ClassCell cell) {
  return {.w = SourceCell(gemm.axis[2], strides[2], cell.j[2], 0),
          .h = SourceCell(gemm.axis[1], strides[1], cell.j[1], 0),
          .d = SourceCell(gemm.axis[0], strides[0], cell.j[0], 0),
          .image = cell.n};
}

}  // namespace gridwise::hopper
