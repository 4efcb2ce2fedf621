// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/types.h"

/// The names that device code needs from the compiler. HIP's own headers are slow to compile and
/// are not used.

#define GRIDWISE_DEVICE __attribute__((device)) inline __attribute__((always_inline))
#define GRIDWISE_KERNEL __attribute__((global))
/// Tells the compiler that `condition` mostly holds. The code for that case is then contiguous: at
/// the start of a launch, a jump to other lines of code waits for them. [[likely]] says more, that
/// it nearly always holds, and the other case is optimized for size. If loops over sums are not
/// unrolled there, sums are in memory, there and everywhere else.
#define GRIDWISE_MOSTLY(condition) __builtin_expect_with_probability(condition, true, 0.9)
#define GRIDWISE_LDS static __attribute__((shared))

namespace gridwise {

template <class T, int kN>
using Vec = T __attribute__((ext_vector_type(kN)));

template <DataType kType>
struct ElementOf {
  using Type = float;
};
template <>
struct ElementOf<DataType::kF16> {
  using Type = _Float16;
};
template <>
struct ElementOf<DataType::kBF16> {
  using Type = __bf16;
};
template <>
struct ElementOf<DataType::kI32> {
  using Type = int;
};
template <DataType kType>
  requires(SizeOf(kType) == 1)
struct ElementOf<kType> {
  using Type = unsigned char;
};

/// The C++ type of a tensor's elements; for 8-bit types, their code.
template <DataType kType>
using Element = ElementOf<kType>::Type;

#if defined(__NVPTX__)

GRIDWISE_DEVICE int ThreadId() { return __nvvm_read_ptx_sreg_tid_x(); }
GRIDWISE_DEVICE int BlockIdX() { return __nvvm_read_ptx_sreg_ctaid_x(); }
GRIDWISE_DEVICE int BlockIdY() { return __nvvm_read_ptx_sreg_ctaid_y(); }
GRIDWISE_DEVICE int BlockIdZ() { return __nvvm_read_ptx_sreg_ctaid_z(); }

GRIDWISE_DEVICE float Exp2(float x) { return __nvvm_ex2_approx_f(x); }
GRIDWISE_DEVICE float Log2(float x) { return __nvvm_lg2_approx_f(x); }
GRIDWISE_DEVICE float Reciprocal(float x) { return 1.0f / x; }

/// Tells the assembler that `x`, which is the same in all lanes of a warp, may live in a uniform
/// register. Called by all lanes together.
GRIDWISE_DEVICE int Uniform(int x) {
  asm("shfl.sync.idx.b32 %0, %0, 0, 31, -1;" : "+r"(x));
  return x;
}
GRIDWISE_DEVICE int Opaque(int x) {
  asm("" : "+r"(x));
  return x;
}

#else

GRIDWISE_DEVICE int ThreadId() { return __builtin_amdgcn_workitem_id_x(); }
GRIDWISE_DEVICE int BlockIdX() { return __builtin_amdgcn_workgroup_id_x(); }
GRIDWISE_DEVICE int BlockIdY() { return __builtin_amdgcn_workgroup_id_y(); }
GRIDWISE_DEVICE int BlockIdZ() { return __builtin_amdgcn_workgroup_id_z(); }

GRIDWISE_DEVICE float Exp2(float x) { return __builtin_amdgcn_exp2f(x); }
GRIDWISE_DEVICE float Log2(float x) { return __builtin_amdgcn_logf(x); }
GRIDWISE_DEVICE float Reciprocal(float x) { return __builtin_amdgcn_rcpf(x); }

/// Tells the compiler that `x`, which is the same in all lanes, may live in a scalar register.
GRIDWISE_DEVICE int Uniform(int x) { return __builtin_amdgcn_readfirstlane(x); }

/// Returns `x` with its origin hidden from the compiler: an address made of it is computed once,
/// and not from its parts in every step of a loop.
GRIDWISE_DEVICE int Opaque(int x) {
  asm("" : "+v"(x));
  return x;
}

/// Whether `condition` holds in some active lane of the wave. The result is the same in all lanes.
GRIDWISE_DEVICE bool AnyLane(bool condition) { return __builtin_amdgcn_ballot_w64(condition) != 0; }

#endif

}  // namespace gridwise
