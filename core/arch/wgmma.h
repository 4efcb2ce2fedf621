// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"
#include "core/arch/hopper/matrix_descriptor.h"

/// Hopper's matrix unit. A warpgroup, 128 threads, multiplies 64 x k of A with k x n of B, both in
/// shared memory, asynchronously, and adds to sums in its registers: f32, or i32 for i8. k is
/// WgmmaK(type), 32 bytes. Source: PTX ISA 9.0, "Asynchronous Warpgroup Level Matrix Instructions".
///
/// Sums of a thread of warp w and lane l: d[4 j + 2 h + e] is row 16 w + l / 4 + 8 h and column
/// 8 j + 2 (l % 4) + e.

#if !defined(__NVPTX__)

#include "core/arch/hopper/wgmma_on_host.h"

#else

#include "core/arch/hopper/wgmma_text.h"

namespace gridwise {

/// Orders this warpgroup's accesses to the sums before the instructions that follow.
GRIDWISE_DEVICE void WgmmaFence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
/// Makes the instructions since the last commit a group.
GRIDWISE_DEVICE void WgmmaCommit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/// Waits until all groups but the newest kLeft are done.
template <int kLeft>
GRIDWISE_DEVICE void WgmmaWait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kLeft) : "memory");
}

/// Starts d = a * b + (keep ? d : 0) for kN columns, whose elements are kType.
template <int kN, DataType kType, OperandOrder kA, OperandOrder kB>
GRIDWISE_DEVICE void Wgmma(Element<SumType(kType)> (&d)[kN / 2], MatrixDescriptor a,
                           MatrixDescriptor b, int keep) {
  static_assert(SizeOf(kType) == 2 || (kA == OperandOrder::kRunsAlongK && kB == kA));
#define GRIDWISE_WGMMA(...)                                 \
  asm volatile((wgmma_text::Instruction(kN, kType, kA, kB)) \
               : __VA_ARGS__                                \
               : "l"(a), "l"(b), "r"(keep))
  GRIDWISE_FOR_SUMS(kN / 2, d, GRIDWISE_WGMMA)
#undef GRIDWISE_WGMMA
}

/// Wgmma with A in registers, which must not change until the products are done. A thread of warp w
/// and lane l has rows 16 w + l / 4 and 8 further: of 16-bit types each at columns 2 (l % 4) and
/// the next, then the same rows 8 columns further; of tf32 each at column l % 4, then the same rows
/// 4 columns further.
template <int kN, DataType kType, OperandOrder kB>
GRIDWISE_DEVICE void WgmmaOfRegisters(float (&d)[kN / 2], const unsigned (&a)[4],
                                      MatrixDescriptor b, int keep) {
  static_assert(SizeOf(kType) == 2 || kB == OperandOrder::kRunsAlongK);
#define GRIDWISE_WGMMA(...)                                        \
  asm volatile((wgmma_text::InstructionOfRegisters(kN, kType, kB)) \
               : __VA_ARGS__                                       \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(keep))
  GRIDWISE_FOR_SUMS(kN / 2, d, GRIDWISE_WGMMA)
#undef GRIDWISE_WGMMA
}

/// Keeps the compiler from moving its own uses of the sums across this point.
template <class Sum, int kSums>
GRIDWISE_DEVICE void Touch(Sum (&d)[kSums]) {
#define GRIDWISE_TOUCH(...) asm volatile("" : __VA_ARGS__::"memory")
  GRIDWISE_FOR_SUMS(kSums, d, GRIDWISE_TOUCH)
#undef GRIDWISE_TOUCH
}

}  // namespace gridwise

#endif
