// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/device/runtime.h"

/// A pool of stream ordered allocation. It keeps no freed memory. Its allocations own it, too, so
/// that they outlive hipMemPoolDestroy. The lock of the allocations (allocations.cc) guards all
/// members that change, except for the settings.
struct ihipMemPoolHandle_t {
  gridwise::sim::Device* const device;
  const uint64_t max_bytes;  // for all its allocations together; 0: what the device has
  uint64_t used_bytes = 0;
  uint64_t peak_used_bytes = 0;
  /// The access that other devices have.
  std::map<const gridwise::sim::Device*, hipMemAccessFlags> access = {};
  std::map<hipMemPoolAttr, uint64_t> settings = {};  // guarded by api/memory/pool_attributes.cc
};
