// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gridwise::sim {

/// A launch: workgroups per axis, work-items per workgroup and axis, LDS after the kernel's static
/// LDS.
struct Grid {
  std::array<uint32_t, 3> workgroups = {1, 1, 1};
  std::array<uint32_t, 3> block = {1, 1, 1};
  /// Work-items of an axis' last workgroup where that is not full, as queues that count work-items
  /// allow (HSA System Architecture, "Kernel dispatch packet"); else 0.
  std::array<uint32_t, 3> remainder = {0, 0, 0};
  uint32_t dynamic_lds_bytes = 0;
  bool cooperative = false;  // workgroups wait for each other: all are under way at once

  int64_t CountWorkgroups() const {
    return int64_t{1} * workgroups[0] * workgroups[1] * workgroups[2];
  }

  /// Work-items of all workgroups along `axis`.
  uint64_t Items(size_t axis) const {
    const uint32_t absent = remainder[axis] == 0 ? 0 : block[axis] - remainder[axis];
    return uint64_t{workgroups[axis]} * block[axis] - absent;
  }

  /// Work-items per axis of workgroup `id`.
  std::array<uint32_t, 3> BlockOf(const std::array<uint32_t, 3>& id) const {
    std::array<uint32_t, 3> items = block;
    for (size_t axis = 0; axis < 3; ++axis) {
      if (remainder[axis] != 0 && id[axis] + 1 == workgroups[axis]) items[axis] = remainder[axis];
    }
    return items;
  }
};

}  // namespace gridwise::sim
