// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"
#include "core/base/types.h"

/// Registers, and the lanes of a warp.
/// Source: NVIDIA, "Parallel Thread Execution ISA", version 9.0.

namespace gridwise {

/// All threads of a warpgroup give up registers, or take some that others gave up, until each has
/// kRegisters: a multiple of 8, 24 to 256.
template <int kRegisters>
GRIDWISE_DEVICE void GiveRegisters() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
template <int kRegisters>
GRIDWISE_DEVICE void TakeRegisters() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}

/// Two values rounded to kType, f16 or bf16; `low` in the lower half.
template <DataType kType>
GRIDWISE_DEVICE unsigned Pack(float low, float high) {
  unsigned packed;
  if constexpr (kType == DataType::kF16) {
    asm("cvt.rn.f16x2.f32 %0, %2, %1;" : "=r"(packed) : "f"(low), "f"(high));
  } else {
    static_assert(kType == DataType::kBF16);
    asm("cvt.rn.bf16x2.f32 %0, %2, %1;" : "=r"(packed) : "f"(low), "f"(high));
  }
  return packed;
}

/// The values of Pack.
template <DataType kType>
GRIDWISE_DEVICE Vec<float, 2> Unpack(unsigned packed) {
  return __builtin_convertvector(__builtin_bit_cast(Vec<Element<kType>, 2>, packed), Vec<float, 2>);
}

/// Returns `x`, and keeps the compiler from computing its uses earlier: it would hoist them out of
/// a loop and keep them in registers.
GRIDWISE_DEVICE int Here(int x) {
  asm volatile("" : "+r"(x));
  return x;
}

/// `v` of the lane of the warp whose number differs in the bits of `mask`.
GRIDWISE_DEVICE unsigned ShuffleXor(unsigned v, int mask) {
  unsigned got;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(got) : "r"(v), "r"(mask));
  return got;
}

/// `v` of a lane of the warp.
GRIDWISE_DEVICE float ShuffleFrom(float v, int lane) {
  float got;
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;" : "=f"(got) : "f"(v), "r"(lane));
  return got;
}

/// Returns `v`, and tells the assembler that all lanes of a warp have the same value: computations
/// from it are done once for the warp.
GRIDWISE_DEVICE unsigned OfWarp(unsigned v) {
  unsigned got;
  asm volatile("shfl.sync.idx.b32 %0, %1, 0, 31, 0xffffffff;" : "=r"(got) : "r"(v));
  return got;
}
/// Whether this lane is the one that acts for its warp; requires all lanes of the warp. Values that
/// this lane passes to TMA should be the same in all lanes: otherwise the assembler makes a loop
/// over lanes of each instruction.
GRIDWISE_DEVICE bool IsElected() {
  unsigned elected;
  asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}"
               : "=r"(elected)::"memory");
  return elected != 0;
}
/// The number of the warp.
GRIDWISE_DEVICE int WarpId() {
  return static_cast<int>(OfWarp(static_cast<unsigned>(ThreadId() / 32)));
}
/// The number of the warpgroup.
GRIDWISE_DEVICE int WarpgroupId() {
  return static_cast<int>(OfWarp(static_cast<unsigned>(ThreadId() / 128)));
}

/// The larger and the smaller of two values; NaN if one is.
GRIDWISE_DEVICE float MaxOrNan(float a, float b) {
  float max;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(max) : "f"(a), "f"(b));
  return max;
}
GRIDWISE_DEVICE float MinOrNan(float a, float b) {
  float min;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(min) : "f"(a), "f"(b));
  return min;
}

}  // namespace gridwise
