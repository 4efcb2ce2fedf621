// SPDX-License-Identifier: MIT
#include "core/arch/gpu.h"

/// data[i] += addend for every work-item i of a 64-wide launch.
extern "C" GRIDWISE_KERNEL void AddTo(int* data, int addend) {
  data[gridwise::BlockIdX() * 64 + gridwise::ThreadId()] += addend;
}
