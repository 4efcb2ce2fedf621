// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace gridwise {

/// Numbers along the axes of a launch; omitted ones are 1.
struct Extent3 {
  std::uint32_t x = 1, y = 1, z = 1;

  constexpr std::uint32_t operator[](std::size_t axis) const {
    return axis == 0 ? x : axis == 1 ? y : z;
  }
  bool operator==(const Extent3&) const = default;
};

/// The shape of one launch.
struct LaunchShape {
  Extent3 workgroups = {};
  Extent3 threads = {};  // per workgroup
  std::uint32_t dynamic_lds_bytes = 0;
  /// Adjacent workgroups along x that run together and reach each other's LDS: a cluster.
  std::uint32_t cluster = 1;
  /// The launch may begin while the previous one ends; the kernel waits for that one before it
  /// touches memory. Only on targets that can, see core/arch/hopper.h, WaitForLaunchBefore.
  bool begins_early = false;

  bool operator==(const LaunchShape&) const = default;
};

/// Maximum number of work-items (threads) of a grid along an axis. Source: HIP documentation,
/// hipModuleLaunchKernel: gridDim * blockDim < 2^32.
inline constexpr std::int64_t kMaxWorkItems = (std::int64_t{1} << 32) - 1;
/// Maximum number of workgroups along y, and along z.
inline constexpr std::int64_t kMaxWorkgroupsYz = 65535;

}  // namespace gridwise
