// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/arch/hopper/barrier_on_host.h"
#include "core/arch/tensor_map.h"
#include "core/arch/tensor_map_spec.h"

/// tma.h on the host, see on_host.h.

namespace gridwise {

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

}  // namespace gridwise
