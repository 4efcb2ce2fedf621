// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/hopper.h"

namespace gridwise {

using MatrixDescriptor = unsigned long long;

/// The start of an operand, as a descriptor has it: within this workgroup's shared memory. (In a
/// cluster, the upper bits of addresses have the workgroup's number.)
GRIDWISE_DEVICE MatrixDescriptor StartOf(SharedAddress address) { return (address & 0x3ffff) >> 4; }

/// An operand whose rows (of A) or columns (of B) are runs of kSwizzle bytes along k, 128, 64 or
/// 32, as TMA writes them with that swizzle; groups of 8 runs follow each other. The swizzle is a
/// function of the address, so a descriptor may begin at any run.
template <int kSwizzle>
GRIDWISE_DEVICE MatrixDescriptor RunsAlongK(SharedAddress address) {
  constexpr MatrixDescriptor kMode = kSwizzle == 128 ? 1 : kSwizzle == 64 ? 2 : 3;
  return StartOf(address) | (MatrixDescriptor{1} << 16) |
         (MatrixDescriptor{8 * kSwizzle / 16} << 32) | (kMode << 62);
}
/// An operand that lies along its rows or columns: lines of 64 elements, one for each k, with the
/// 128-byte swizzle. 8 lines follow each other. The next 64 elements are `next` bytes further, by
/// default 64 lines; other distances may make them overlap.
GRIDWISE_DEVICE MatrixDescriptor LinesPerK(SharedAddress address, int next = 8192) {
  return StartOf(address) | (static_cast<MatrixDescriptor>(next / 16) << 16) |
         (MatrixDescriptor{1024 / 16} << 32) | (MatrixDescriptor{1} << 62);
}

/// The operand that begins `bytes` bytes after another; a multiple of 16.
GRIDWISE_DEVICE MatrixDescriptor Moved(MatrixDescriptor operand, int bytes) {
  const unsigned low = static_cast<unsigned>(operand) + static_cast<unsigned>(bytes >> 4);
  return (operand & ~MatrixDescriptor{0xffffffff}) | low;
}

/// How an operand lies in shared memory: runs along k, or one line per k.
enum class OperandOrder { kRunsAlongK, kLinesPerK };

}  // namespace gridwise
