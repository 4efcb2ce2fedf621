// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"

/// class Buffer: global memory from a base on, accessed by byte offsets below 2^31, which the
/// caller guarantees to be inside of its tensor. An access with kOutOfRange set in its offset reads
/// 0, or is not written: that masks a lane at no cost.
#if defined(__NVPTX__)
#include "core/arch/buffer_nvptx.h"
#else
#include "core/arch/buffer_amd.h"
#endif

namespace gridwise {

/// Bits of validity of lanes or elements: bit i is 1 when i >= count. Any count is allowed, i up to
/// 30.
GRIDWISE_DEVICE unsigned BitsFrom(int count) {
  const int clamped = count < 0 ? 0 : count < 31 ? count : 31;
  return ~0u << clamped;
}

}  // namespace gridwise
