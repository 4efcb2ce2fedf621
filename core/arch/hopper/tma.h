// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"
#include "core/arch/hopper/barrier.h"
#include "core/arch/tensor_map.h"

/// TMA: copies of boxes of tensors, and of pixels, between memory and shared memory.
/// Source: NVIDIA, "Parallel Thread Execution ISA", version 9.0.

namespace gridwise {

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

}  // namespace gridwise
