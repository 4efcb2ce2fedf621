// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"
#include "core/arch/tensor_map.h"

#if !defined(__NVPTX__)

#include "core/arch/hopper_on_host.h"

#else

/// Hopper's instructions that C++ lacks: barriers in shared memory, TMA, and moves of registers.
/// Source of all: NVIDIA, "Parallel Thread Execution ISA", version 9.0. Shared memory is addressed
/// by its 32-bit addresses.

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

GRIDWISE_DEVICE void Prefetch(const TensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

/// Starts to fetch memory into the L2 cache that all SMs share: a multiple of 16 bytes, at a
/// multiple of 16.
GRIDWISE_DEVICE void FetchIntoL2(const void* from, int bytes) {
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes) : "memory");
}

/// Starts to load the box of `map` at these coordinates, innermost first, to `to`. Elements outside
/// of the tensor become zero. `bar` counts the bytes of the whole box.
GRIDWISE_DEVICE void LoadBox(SharedAddress to, const TensorMap& map, Mbarrier bar, int x, int y,
                             int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4, %5}], [%2];" ::"r"(to),
      "l"(&map), "r"(bar.at), "r"(x), "r"(y), "r"(z)
      : "memory");
}
GRIDWISE_DEVICE void LoadBox(SharedAddress to, const TensorMap& map, Mbarrier bar, int x, int y,
                             int z, int w) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(to),
      "l"(&map), "r"(bar.at), "r"(x), "r"(y), "r"(z), "r"(w)
      : "memory");
}
GRIDWISE_DEVICE void LoadBox(SharedAddress to, const TensorMap& map, Mbarrier bar, int x, int y,
                             int z, int w, int v) {
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4, %5, %6, %7}], [%2];" ::"r"(to),
      "l"(&map), "r"(bar.at), "r"(x), "r"(y), "r"(z), "r"(w), "r"(v)
      : "memory");
}

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

/// A pixel of a tensor of pixels and channels: coordinates w, h, d and the image.
struct PixelAt {
  int w, h, d, image;
};
/// Starts to load channels from `channel` on of consecutive pixels from `pixel` on, moved by a
/// filter tap: an im2col map of 4 axes (channel, w, h, image), or of 5 with d.
GRIDWISE_DEVICE void LoadPixels4(SharedAddress to, const TensorMap& map, Mbarrier bar, int channel,
                                 PixelAt pixel, int tap_w, int tap_h) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4, %5, %6}], [%2], {%7, %8};" ::"r"(to),
      "l"(&map), "r"(bar.at), "r"(channel), "r"(pixel.w), "r"(pixel.h), "r"(pixel.image),
      "h"(static_cast<unsigned short>(tap_w)), "h"(static_cast<unsigned short>(tap_h))
      : "memory");
}
GRIDWISE_DEVICE void LoadPixels5(SharedAddress to, const TensorMap& map, Mbarrier bar, int channel,
                                 PixelAt pixel, int tap_w, int tap_h, int tap_d) {
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4, %5, %6, %7}], [%2], {%8, %9, %10};" ::"r"(to),
      "l"(&map), "r"(bar.at), "r"(channel), "r"(pixel.w), "r"(pixel.h), "r"(pixel.d),
      "r"(pixel.image), "h"(static_cast<unsigned short>(tap_w)),
      "h"(static_cast<unsigned short>(tap_h)), "h"(static_cast<unsigned short>(tap_d))
      : "memory");
}

/// Starts to store a box. Elements outside of the tensor are not written.
GRIDWISE_DEVICE void StoreBox(const TensorMap& map, SharedAddress from, int x, int y, int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(
          &map),
      "r"(from), "r"(x), "r"(y), "r"(z)
      : "memory");
}
GRIDWISE_DEVICE void StoreBox(const TensorMap& map, SharedAddress from, int x, int y, int z,
                              int w) {
  asm volatile(
      "cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4, %5}], "
      "[%1];" ::"l"(&map),
      "r"(from), "r"(x), "r"(y), "r"(z), "r"(w)
      : "memory");
}
GRIDWISE_DEVICE void StoreBox(const TensorMap& map, SharedAddress from, int x, int y, int z, int w,
                              int v) {
  asm volatile(
      "cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4, %5, %6}], "
      "[%1];" ::"l"(&map),
      "r"(from), "r"(x), "r"(y), "r"(z), "r"(w), "r"(v)
      : "memory");
}
/// Starts to store channels of consecutive pixels from `pixel` on, by an im2col map of 4 axes.
/// Elements outside of the tensor are not written.
GRIDWISE_DEVICE void StorePixels4(const TensorMap& map, SharedAddress from, int channel,
                                  PixelAt pixel) {
  asm volatile(
      "cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group "
      "[%0, {%2, %3, %4, %5}], [%1];" ::"l"(&map),
      "r"(from), "r"(channel), "r"(pixel.w), "r"(pixel.h), "r"(pixel.image)
      : "memory");
}
/// Makes this thread's stores so far a group, for waiting.
GRIDWISE_DEVICE void CommitStores() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
/// Waits until all groups of this thread but the newest kLeft have read their shared memory.
template <int kLeft>
GRIDWISE_DEVICE void WaitStoresRead() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kLeft) : "memory");
}
/// Makes this thread's writes of shared memory visible to TMA and the matrix unit.
GRIDWISE_DEVICE void FenceAsyncProxy() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

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

}  // namespace gridwise

#endif
