// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

#include "core/arch/gpu.h"
#include "core/arch/host_threads.h"
#include "core/arch/tensor_map.h"
#include "core/arch/tensor_map_spec.h"

/// The device functions of core/arch/hopper.h and wgmma.h, on the host. Tests run each thread of a
/// workgroup until it waits (host_threads.h), one workgroup at a time. Barriers wait as on the
/// device. TMA and the matrix unit have finished when a call returns, so tests do not notice a
/// missing wait or fence.

namespace gridwise {

#define GRIDWISE_GRID_CONSTANT

using SharedAddress = unsigned;

alignas(1024) inline char dynamic_shared_memory[227 << 10];
inline SharedAddress DynamicSharedMemory() { return 0; }

/// The host's TensorMap; the words of a TensorMap point to it.
struct HostTensorMap {
  const TensorMapSpec* spec;
  char* tensor;

  static HostTensorMap Of(const TensorMap& map) {
    HostTensorMap found;
    std::memcpy(&found, &map, sizeof(found));
    return found;
  }
};

/// A barrier that counts threads.
class HostBarrier {
 public:
  /// Returns whether `condition` was true in any thread.
  bool Wait(int threads, bool condition = false) {
    const unsigned phase = phase_;
    Arrive(threads, condition);
    waiters_.WaitUntil([&] { return phase_ != phase; });
    return any_before_;
  }
  void ArriveOnly(int threads) { Arrive(threads, false); }

 private:
  void Arrive(int threads, bool condition) {
    any_ |= condition;
    if (++arrived_ < threads) return;
    arrived_ = 0;
    any_before_ = any_;
    any_ = false;
    ++phase_;
    waiters_.WakeAll();
  }

  HostWaiters waiters_;
  int arrived_ = 0;
  unsigned phase_ = 0;
  bool any_ = false, any_before_ = false;
};

/// An mbarrier's state.
class HostMbarrier {
 public:
  explicit HostMbarrier(int arrivals) : arrivals_(arrivals), missing_(arrivals) {}

  void Change(int arrivals, int bytes) {
    missing_ -= arrivals;
    bytes_ += bytes;
    if (missing_ != 0 || bytes_ != 0) return;
    missing_ = arrivals_;
    ++phase_;
    waiters_.WakeAll();
  }
  void Wait(unsigned parity) {
    waiters_.WaitUntil([&] { return (phase_ & 1) != parity; });
  }

 private:
  HostWaiters waiters_;
  const int arrivals_;
  int missing_, bytes_ = 0;
  unsigned phase_ = 0;
};

/// The workgroup that is running.
struct HostWorkgroup {
  std::array<HostBarrier, 16> named;
  std::array<HostBarrier, 32> of_warp;
  std::array<std::array<std::array<unsigned, 6>, 32>, 32> exchanged;  // warp, lane
  std::map<SharedAddress, HostMbarrier> mbarriers;
};
inline HostWorkgroup* host_workgroup = nullptr;
inline int host_grid_size = 0;

inline int GridSizeX() { return host_grid_size; }
inline void WaitAt(int id, int threads) { host_workgroup->named[id].Wait(threads); }
inline void ArriveAt(int id, int threads) { host_workgroup->named[id].ArriveOnly(threads); }
inline bool AnyAt(int id, int threads, bool condition) {
  return host_workgroup->named[id].Wait(threads, condition);
}
inline void SyncWarp() { host_workgroup->of_warp[ThreadId() / 32].Wait(32); }

/// Returns the values that all lanes of the warp pass.
[[gnu::noinline]] inline std::array<std::array<unsigned, 6>, 32> ExchangeInWarp(
    std::array<unsigned, 6> mine) {
  auto& of_warp = host_workgroup->exchanged[ThreadId() / 32];
  of_warp[ThreadId() % 32] = mine;
  SyncWarp();
  const auto all = of_warp;
  SyncWarp();
  return all;
}

struct Mbarrier {
  SharedAddress at;

  void Init(int arrivals) const { host_workgroup->mbarriers.try_emplace(at, arrivals); }
  void ArriveAndExpect(int bytes) const { State().Change(1, bytes); }
  void Arrive() const { State().Change(1, 0); }
  void ArriveWhenLoaded() const { Arrive(); }
  void Wait(unsigned parity) const { State().Wait(parity); }
  void WaitOfCluster(unsigned parity) const { Wait(parity); }
  HostMbarrier& State() const { return host_workgroup->mbarriers.at(at); }
};
inline void FenceMbarrierInit() {}
inline void Prefetch(const TensorMap&) {}
inline void FetchIntoL2(const void* from, int bytes) {
  if (reinterpret_cast<std::uintptr_t>(from) % 16 == 0 && bytes > 0 && bytes % 16 == 0) return;
  std::fprintf(stderr, "%d bytes are fetched, no multiple of 16, or from no multiple on\n", bytes);
  std::abort();
}

/// The swizzled address of a byte.
inline SharedAddress Swizzled(SharedAddress at, int swizzle_bytes) {
  if (swizzle_bytes == 0) return at;
  return at ^ ((at >> 7 & (static_cast<unsigned>(swizzle_bytes) / 16 - 1)) << 4);
}

/// Calls visit(shared address, element of the tensor, or null outside of it) for each element of a
/// box. Returns the box's bytes.
inline int ForBox(const TensorMap& map, SharedAddress to, std::array<int, 5> first, auto&& visit) {
  const auto [spec, tensor] = HostTensorMap::Of(map);
  const int bytes = SizeOf(spec->type);
  std::array<int, 5> count = {1, 1, 1, 1, 1}, i = {};
  int elements = 1;
  for (int axis = 0; axis < spec->rank; ++axis) {
    count[axis] = static_cast<int>((spec->box[axis] + spec->step[axis] - 1) / spec->step[axis]);
    elements *= count[axis];
  }
  for (int e = 0; e < elements; ++e) {
    bool is_there = true;
    std::int64_t offset = 0;
    for (int axis = 0; axis < spec->rank; ++axis) {
      const std::int64_t at = first[axis] + std::int64_t{i[axis]} * spec->step[axis];
      is_there = is_there && at >= 0 && at < static_cast<std::int64_t>(spec->size[axis]);
      offset += at * (axis == 0 ? bytes : static_cast<std::int64_t>(spec->stride_bytes[axis]));
    }
    visit(Swizzled(to + static_cast<unsigned>(e * bytes), spec->swizzle_bytes),
          is_there ? tensor + offset : nullptr);
    for (int axis = 0; axis < spec->rank && ++i[axis] == count[axis]; ++axis) i[axis] = 0;
  }
  return elements * bytes;
}

inline void LoadHostBox(SharedAddress to, const TensorMap& map, Mbarrier bar,
                        std::array<int, 5> first) {
  const int bytes = SizeOf(HostTensorMap::Of(map).spec->type);
  const int all = ForBox(map, to, first, [&](SharedAddress at, const char* from) {
    std::memset(dynamic_shared_memory + at, 0, bytes);
    if (from != nullptr) std::memcpy(dynamic_shared_memory + at, from, bytes);
  });
  bar.State().Change(0, -all);
}
/// Requires boxes at multiples of 16 bytes, because an H200 reports an illegal instruction
/// otherwise.
inline void LoadBox(SharedAddress to, const TensorMap& map, Mbarrier bar, int x, int y, int z,
                    int w = 0, int v = 0) {
  if (x * SizeOf(HostTensorMap::Of(map).spec->type) % 16 != 0) {
    std::fprintf(stderr, "a box begins at element %d, no multiple of 16 bytes\n", x);
    std::abort();
  }
  LoadHostBox(to, map, bar, {x, y, z, w, v});
}
inline void StoreBox(const TensorMap& map, SharedAddress from, int x, int y, int z, int w = 0,
                     int v = 0) {
  const int bytes = SizeOf(HostTensorMap::Of(map).spec->type);
  ForBox(map, from, {x, y, z, w, v}, [&](SharedAddress at, char* to) {
    if (to != nullptr) std::memcpy(to, dynamic_shared_memory + at, bytes);
  });
}

struct PixelAt {
  int w, h, d, image;
};
/// Calls visit(where, element) for each element of the pixels of an im2col map, moved by a tap: its
/// address in shared memory, and in the tensor or null. Returns their bytes.
inline int ForPixels(SharedAddress at_shared, const TensorMap& map, int channel,
                     std::array<int, 4> at, std::array<int, 3> tap, auto&& visit) {
  const auto [spec, tensor] = HostTensorMap::Of(map);
  const int bytes = SizeOf(spec->type), spatial = spec->rank - 2;
  const int run = static_cast<int>(spec->channels) * bytes;
  for (unsigned pixel = 0; pixel < spec->pixels; ++pixel) {
    bool is_there = at[spatial] < static_cast<int>(spec->size[spatial + 1]);
    std::int64_t offset = at[spatial] * static_cast<std::int64_t>(spec->stride_bytes[spatial + 1]);
    for (int i = 0; i < spatial; ++i) {
      const int position = at[i] + tap[i];
      is_there = is_there && position >= 0 && position < static_cast<int>(spec->size[i + 1]);
      offset += position * static_cast<std::int64_t>(spec->stride_bytes[i + 1]);
    }
    for (int c = 0; c < run; c += bytes) {
      const unsigned in_box = pixel * static_cast<unsigned>(run) + static_cast<unsigned>(c);
      const bool has = is_there && channel + c / bytes < static_cast<int>(spec->size[0]);
      visit(dynamic_shared_memory + Swizzled(at_shared + in_box, spec->swizzle_bytes),
            has ? tensor + offset + channel * bytes + c : nullptr);
    }
    for (int i = 0; i < spatial; ++i) {  // the next between the corners
      at[i] += static_cast<int>(spec->step[i + 1]);
      if (at[i] <= static_cast<int>(spec->size[i + 1]) - 1 + spec->upper[i]) break;
      at[i] = spec->lower[i];
      if (i + 1 == spatial) ++at[spatial];
    }
  }
  return static_cast<int>(spec->pixels) * run;
}
inline void LoadHostPixels(SharedAddress to, const TensorMap& map, Mbarrier bar, int channel,
                           std::array<int, 4> at, std::array<int, 3> tap) {
  const int bytes = SizeOf(HostTensorMap::Of(map).spec->type);
  const int loaded = ForPixels(to, map, channel, at, tap, [&](char* shared, const char* element) {
    std::memset(shared, 0, bytes);
    if (element != nullptr) std::memcpy(shared, element, bytes);
  });
  bar.State().Change(0, -loaded);
}
inline void StorePixels4(const TensorMap& map, SharedAddress from, int channel, PixelAt pixel) {
  const int bytes = SizeOf(HostTensorMap::Of(map).spec->type);
  ForPixels(from, map, channel, {pixel.w, pixel.h, pixel.image, 0}, {},
            [&](const char* shared, char* element) {
              if (element != nullptr) std::memcpy(element, shared, bytes);
            });
}
inline void LoadPixels4(SharedAddress to, const TensorMap& map, Mbarrier bar, int channel,
                        PixelAt pixel, int tap_w, int tap_h) {
  LoadHostPixels(to, map, bar, channel, {pixel.w, pixel.h, pixel.image, 0}, {tap_w, tap_h, 0});
}
inline void LoadPixels5(SharedAddress to, const TensorMap& map, Mbarrier bar, int channel,
                        PixelAt pixel, int tap_w, int tap_h, int tap_d) {
  LoadHostPixels(to, map, bar, channel, {pixel.w, pixel.h, pixel.d, pixel.image},
                 {tap_w, tap_h, tap_d});
}

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
inline void StoreMatrix4(SharedAddress to, unsigned a, unsigned b, unsigned c, unsigned d) {
  StoreHostMatrices(4, to, {a, b, c, d});
}
inline void StoreMatrix2(SharedAddress to, unsigned a, unsigned b) {
  StoreHostMatrices(2, to, {a, b, 0, 0});
}

}  // namespace gridwise
