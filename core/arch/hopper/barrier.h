// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"

/// Shared memory, which is addressed by its 32-bit addresses, and barriers.
/// Source: NVIDIA, "Parallel Thread Execution ISA", version 9.0.

namespace gridwise {

/// Marks an argument that the kernel does not write, so that its address may be taken.
#define GRIDWISE_GRID_CONSTANT __attribute__((grid_constant))

using SharedAddress = unsigned;

/// The dynamic shared memory of the workgroup.
extern __attribute__((shared)) __attribute__((aligned(1024))) char dynamic_shared_memory[];

GRIDWISE_DEVICE SharedAddress DynamicSharedMemory() {
  using Shared = __attribute__((address_space(3))) const char;
  return static_cast<SharedAddress>(
      reinterpret_cast<unsigned long long>((Shared*)dynamic_shared_memory));
}

GRIDWISE_DEVICE int GridSizeX() { return __nvvm_read_ptx_sreg_nctaid_x(); }

/// Waits at barrier `id`, 0 to 15, until `threads` threads of the workgroup are there.
GRIDWISE_DEVICE void WaitAt(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
/// Counts as one of the threads of WaitAt, without waiting.
GRIDWISE_DEVICE void ArriveAt(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
/// Like WaitAt, for all threads; each learns whether some thread arrived with `condition`.
GRIDWISE_DEVICE bool AnyAt(int id, int threads, bool condition) {
  unsigned any;
  asm volatile(
      "{\n.reg .pred p, q;\nsetp.ne.u32 p, %3, 0;\nbar.red.or.pred q, %1, %2, p;\n"
      "selp.u32 %0, 1, 0, q;\n}"
      : "=r"(any)
      : "r"(id), "r"(threads), "r"(static_cast<unsigned>(condition))
      : "memory");
  return any != 0;
}
GRIDWISE_DEVICE void SyncWarp() { asm volatile("bar.warp.sync 0xffffffff;" ::: "memory"); }

/// A barrier in shared memory (mbarrier) that counts arrivals of threads and bytes of TMA. Its
/// phases have parities, 0 first.
struct Mbarrier {
  SharedAddress at;  // 8 bytes
  GRIDWISE_DEVICE void Init(int arrivals) const {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(arrivals) : "memory");
  }
  /// Arrives, and makes the phase also wait for `bytes` bytes.
  GRIDWISE_DEVICE void ArriveAndExpect(int bytes) const {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(bytes)
                 : "memory");
  }
  GRIDWISE_DEVICE void Arrive() const {
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(at) : "memory");
  }
  /// Arrives when everything that this thread has started by LoadEight has been loaded.
  GRIDWISE_DEVICE void ArriveWhenLoaded() const {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(at) : "memory");
  }
  /// Waits until the phase of this parity is done. The caller is at most one phase behind.
  GRIDWISE_DEVICE void Wait(unsigned parity) const {
    unsigned done;
    do {
      asm volatile(
          "{\n.reg .pred p;\nmbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2;\n"
          "selp.u32 %0, 1, 0, p;\n}"
          : "=r"(done)
          : "r"(at), "r"(parity)
          : "memory");
    } while (!done);
  }
  /// The same for data that other workgroups of the cluster have sent.
  GRIDWISE_DEVICE void WaitOfCluster(unsigned parity) const {
    unsigned done;
    do {
      asm volatile(
          "{\n.reg .pred p;\n"
          "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
          "selp.u32 %0, 1, 0, p;\n}"
          : "=r"(done)
          : "r"(at), "r"(parity)
          : "memory");
    } while (!done);
  }
};
/// Makes initialized barriers visible to TMA.
GRIDWISE_DEVICE void FenceMbarrierInit() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// Makes this thread's writes of shared memory visible to TMA and the matrix unit.
GRIDWISE_DEVICE void FenceAsyncProxy() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

}  // namespace gridwise
