// SPDX-License-Identifier: MIT
#include "core/arch/gpu.h"
#include "core/arch/sync.h"
#include "core/arch/this_target.h"

/// Reverses each 256 of data, by a workgroup of as many work-items.
extern "C" GRIDWISE_KERNEL void Reverse(int* data) {
  using namespace gridwise;
  constexpr int kItems = 256;
  static_assert(TraitsOf(kThisTarget).lds_bytes >= kItems * 4);
  GRIDWISE_LDS int lds[kItems];
  const int item = ThreadId(), first = BlockIdX() * kItems;
  lds[item] = data[first + item];
  BarrierLds();
  data[first + item] = lds[kItems - 1 - item];
}
