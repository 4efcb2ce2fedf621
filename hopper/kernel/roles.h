#pragma once

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
  if (ThreadId() >= 128 * kC.groups) {
    GiveRegisters<24>();
    if (ThreadId() == 128 * kC.groups) Roles::Produce(args, base);
  } else {
    TakeRegisters < kC.groups<3 ? 240 : 160>();
    Roles::Consume(args, base);
  }
}

}  // namespace gridwise::hopper
