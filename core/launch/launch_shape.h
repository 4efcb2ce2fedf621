#pragma once

#include <array>
#include <cstdint>

namespace gridwise {

/// The shape of one launch.
struct LaunchShape {
  std::array<std::uint32_t, 3> workgroups = {1, 1, 1};  // x, y, z
  std::array<std::uint32_t, 3> threads = {1, 1, 1};     // per workgroup: x, y, z
  std::uint32_t dynamic_lds_bytes = 0;

  bool operator==(const LaunchShape&) const = default;
};

/// Work-items (threads) that a grid may have along an axis. Source: HIP documentation,
/// hipModuleLaunchKernel: gridDim * blockDim < 2^32.
inline constexpr std::int64_t kMaxWorkItems = (std::int64_t{1} << 32) - 1;
/// Workgroups along y and z.
inline constexpr std::int64_t kMaxWorkgroupsYz = 65535;

}  // namespace gridwise
