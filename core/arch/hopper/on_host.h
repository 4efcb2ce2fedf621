// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/arch/gpu.h"
#include "core/arch/hopper/barrier_on_host.h"
#include "core/arch/hopper/tma_on_host.h"
#include "core/base/types.h"

/// The device functions of core/arch/hopper.h and wgmma.h, on the host. Tests run each thread of a
/// workgroup until it waits (host_threads.h), one workgroup at a time. Barriers wait as on the
/// device. TMA and the matrix unit have finished when a call returns, so tests do not notice a
/// missing wait or fence.

namespace gridwise {

template <int kBytes>
[[gnu::noinline]] void LoadByLane(SharedAddress to, const void* from, bool is_there) {
  if (to % kBytes != 0 || reinterpret_cast<std::uintptr_t>(from) % kBytes != 0) {
    std::fprintf(stderr, "%d bytes begin at no multiple of %d\n", kBytes, kBytes);
    std::abort();
  }
  std::memset(dynamic_shared_memory + to, 0, kBytes);
  if (is_there) std::memcpy(dynamic_shared_memory + to, from, kBytes);
}
inline void LoadEight(SharedAddress to, const void* from, bool is_there) {
  LoadByLane<8>(to, from, is_there);
}
inline void LoadSixteen(SharedAddress to, const void* from, bool is_there) {
  LoadByLane<16>(to, from, is_there);
}
inline void CommitLoads() {}
template <int kLeft>
inline void WaitLoads() {}

inline void CommitStores() {}
template <int kLeft>
inline void WaitStoresRead() {}
inline void FenceAsyncProxy() {}
template <int kRegisters>
inline void GiveRegisters() {}
template <int kRegisters>
inline void TakeRegisters() {}

template <DataType kType>
inline unsigned Pack(float low, float high) {
  using T = Element<kType>;
  return std::bit_cast<unsigned short>(static_cast<T>(low)) |
         static_cast<unsigned>(std::bit_cast<unsigned short>(static_cast<T>(high))) << 16;
}

template <DataType kType>
inline Vec<float, 2> Unpack(unsigned packed) {
  return __builtin_convertvector(std::bit_cast<Vec<Element<kType>, 2>>(packed), Vec<float, 2>);
}

inline int Here(int x) { return x; }

inline unsigned ShuffleXor(unsigned v, int mask) {
  return ExchangeInWarp({v})[(ThreadId() % 32) ^ mask][0];
}
inline float ShuffleFrom(float v, int lane) {
  return std::bit_cast<float>(ExchangeInWarp({std::bit_cast<unsigned>(v)})[lane][0]);
}
inline void StoreIf(bool condition, void* to, Vec<unsigned, 2> v) {
  if (condition) std::memcpy(to, &v, sizeof(v));
}
inline unsigned LoadIf(bool condition, const void* from) {
  unsigned v = 0;
  if (condition) std::memcpy(&v, from, sizeof(v));
  return v;
}
inline void FetchLine(const void*) {}
inline float MaxOrNan(float a, float b) { return a != a || a > b ? a : b; }
inline float MinOrNan(float a, float b) { return a != a || a < b ? a : b; }
/// Clusters of one workgroup.
inline int ClusterRank() { return 0; }
inline void StoreZeros16(SharedAddress to) { std::memset(dynamic_shared_memory + to, 0, 16); }
inline void LetNextLaunchBegin() {}
inline void WaitForLaunchBefore() {}
/// Lanes wait for each other, so that none is two phases of a barrier ahead.
inline bool IsElected() {
  SyncWarp();
  return ThreadId() % 32 == 0;
}
inline int WarpId() { return ThreadId() / 32; }
inline unsigned OfWarp(unsigned v) { return v; }
inline int WarpgroupId() { return ThreadId() / 128; }
inline void ClusterMeet() {}
inline SharedAddress OfClusterRank(SharedAddress at, int) { return at; }
inline void SendOfCluster(SharedAddress to, Vec<float, 4> v, SharedAddress bar) {
  std::memcpy(dynamic_shared_memory + to, &v, sizeof(v));
  Mbarrier{bar}.State().Change(0, -16);
}
inline void AddTo(float* to, float v) { std::atomic_ref<float>(*to) += v; }

[[gnu::noinline]] inline void StoreHostMatrices(int count, SharedAddress to,
                                                std::array<unsigned, 4> values) {
  const auto all = ExchangeInWarp({to});
  const int lane = ThreadId() % 32;
  for (int i = 0; i < count; ++i) {
    std::memcpy(dynamic_shared_memory + all[i * 8 + lane / 4][0] + lane % 4 * 4, &values[i], 4);
  }
}
[[gnu::noinline]] inline void StoreHostTransposed(int count, SharedAddress to,
                                                  std::array<unsigned, 4> values) {
  const auto all = ExchangeInWarp({to});
  const int lane = ThreadId() % 32;
  for (int i = 0; i < count; ++i) {
    for (int e = 0; e < 2; ++e) {
      const unsigned row = all[i * 8 + lane % 4 * 2 + e][0];
      const auto element = static_cast<unsigned short>(values[i] >> e * 16);
      std::memcpy(dynamic_shared_memory + row + lane / 4 * 2, &element, 2);
    }
  }
}
inline void StoreTransposed4(SharedAddress to, unsigned a, unsigned b, unsigned c, unsigned d) {
  StoreHostTransposed(4, to, {a, b, c, d});
}
inline void StoreTransposed2(SharedAddress to, unsigned a, unsigned b) {
  StoreHostTransposed(2, to, {a, b, 0, 0});
}
inline void StoreMatrix4(SharedAddress to, unsigned a, unsigned b, unsigned c, unsigned d) {
  StoreHostMatrices(4, to, {a, b, c, d});
}
inline void StoreMatrix2(SharedAddress to, unsigned a, unsigned b) {
  StoreHostMatrices(2, to, {a, b, 0, 0});
}

}  // namespace gridwise
