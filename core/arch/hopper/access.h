// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"
#include "core/arch/hopper/barrier.h"

/// Accesses to memory and shared memory by threads, without TMA.
/// Source: NVIDIA, "Parallel Thread Execution ISA", version 9.0.

namespace gridwise {

/// Starts to load 8 bytes without TMA, or to write zeros there if not `is_there`. Both addresses
/// must be multiples of 8.
GRIDWISE_DEVICE void LoadEight(SharedAddress to, const void* from, bool is_there) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from),
               "r"(is_there ? 8 : 0)
               : "memory");
}

/// The same of 16 bytes, at multiples of 16, which do not stay in the L1 cache.
GRIDWISE_DEVICE void LoadSixteen(SharedAddress to, const void* from, bool is_there) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
               "r"(is_there ? 16 : 0)
               : "memory");
}
/// Makes what this thread has started by LoadEight and LoadSixteen so far a group, for waiting.
GRIDWISE_DEVICE void CommitLoads() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/// Waits until all groups of this thread but the newest kLeft have been loaded.
template <int kLeft>
GRIDWISE_DEVICE void WaitLoads() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");
}

/// Writes 16 bytes of zeros to shared memory. (For zeros in C++, the compiler makes a memset by
/// bytes.)
GRIDWISE_DEVICE void StoreZeros16(SharedAddress to) {
  asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};" ::"r"(to), "r"(0) : "memory");
}

/// Stores 8 bytes if `condition`, without a branch.
GRIDWISE_DEVICE void StoreIf(bool condition, void* to, Vec<unsigned, 2> v) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.u32 p, %0, 0;\n@p st.global.v2.b32 [%1], {%2, %3};\n}" ::"r"(
          static_cast<unsigned>(condition)),
      "l"(to), "r"(v[0]), "r"(v[1])
      : "memory");
}

/// Loads 4 bytes if `condition`, without a branch; else zeros. (A register that is written only if
/// would be live before that, too.)
GRIDWISE_DEVICE unsigned LoadIf(bool condition, const void* from) {
  unsigned v;
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.u32 p, %1, 0;\nmov.b32 %0, 0;\n"
      "@p ld.global.b32 %0, [%2];\n}"
      : "=&r"(v)
      : "r"(static_cast<unsigned>(condition)), "l"(from)
      : "memory");
  return v;
}
/// Fetches the line of the cache at an address into L2.
GRIDWISE_DEVICE void FetchLine(const void* at) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(at) : "memory");
}

/// Adds atomically to a number in memory.
GRIDWISE_DEVICE void AddTo(float* to, float v) {
  asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" ::"l"(to), "f"(v) : "memory");
}

/// A warp stores 8x8 matrices of 2-byte elements; each lane holds two of a row. Lane l passes the
/// address of row l % 8 of matrix l / 8.
GRIDWISE_DEVICE void StoreMatrix4(SharedAddress to, unsigned a, unsigned b, unsigned c,
                                  unsigned d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared::cta.b16 [%0], {%1, %2, %3, %4};" ::"r"(to),
               "r"(a), "r"(b), "r"(c), "r"(d)
               : "memory");
}
GRIDWISE_DEVICE void StoreMatrix2(SharedAddress to, unsigned a, unsigned b) {
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared::cta.b16 [%0], {%1, %2};" ::"r"(to), "r"(a),
               "r"(b)
               : "memory");
}
/// The same where each lane holds two elements of a column.
GRIDWISE_DEVICE void StoreTransposed4(SharedAddress to, unsigned a, unsigned b, unsigned c,
                                      unsigned d) {
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16 [%0], {%1, %2, %3, %4};" ::"r"(to),
      "r"(a), "r"(b), "r"(c), "r"(d)
      : "memory");
}
GRIDWISE_DEVICE void StoreTransposed2(SharedAddress to, unsigned a, unsigned b) {
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 [%0], {%1, %2};" ::"r"(to),
               "r"(a), "r"(b)
               : "memory");
}

}  // namespace gridwise
