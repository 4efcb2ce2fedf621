// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"
#include "core/arch/hopper/barrier.h"

/// Workgroups of a cluster, and launches that overlap.
/// Source: NVIDIA, "Parallel Thread Execution ISA", version 9.0.

namespace gridwise {

/// Lets the next launch begin, if it may, once all workgroups of this one have begun.
GRIDWISE_DEVICE void LetNextLaunchBegin() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
/// Waits until the previous launch has ended and its results can be read.
GRIDWISE_DEVICE void WaitForLaunchBefore() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

/// The workgroup's number in its cluster.
GRIDWISE_DEVICE int ClusterRank() {
  int rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
/// Waits for all threads of the cluster that have not ended. Does not order their writes.
GRIDWISE_DEVICE void ClusterMeet() {
  asm volatile("barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait.acquire;" ::: "memory");
}
/// The same address in the shared memory of another workgroup of the cluster, for SendOfCluster.
GRIDWISE_DEVICE SharedAddress OfClusterRank(SharedAddress at, int rank) {
  SharedAddress there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at), "r"(rank));
  return there;
}
/// Starts to store into another workgroup's shared memory, where `bar` counts the 16 bytes.
GRIDWISE_DEVICE void SendOfCluster(SharedAddress to, Vec<float, 4> v, SharedAddress bar) {
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, "
      "[%5];" ::"r"(to),
      "f"(v[0]), "f"(v[1]), "f"(v[2]), "f"(v[3]), "r"(bar)
      : "memory");
}

}  // namespace gridwise
