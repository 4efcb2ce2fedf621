// SPDX-License-Identifier: MIT
#include "tools/sim/tests/item_kernels.h"

#define GRIDWISE_KERNEL(NAME)                                                               \
  extern "C" __attribute__((global)) void NAME(const unsigned* in, unsigned* out, int n) {  \
    const int i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + \
                  __builtin_amdgcn_workitem_id_x();                                         \
    if (i < n) gridwise::sim::items::NAME(i, in, out, n);                                   \
  }

GRIDWISE_ITEM_KERNELS(GRIDWISE_KERNEL)
