// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/arch/target.h"

namespace gridwise {

/// The facts of a device, beyond its target, that plans and estimates need. They differ between a
/// target's products, and between partitions of one. CurrentDevice() (core/runtime/device.h)
/// returns those of a real device.
struct DeviceFacts {
  Gfx gfx;
  int compute_units;
  int xcds;                // each with its own L2; workgroup i runs on XCD i % xcds
  double clock_ghz;        // peak engine clock
  double memory_gb_per_s;  // peak
  std::int64_t memory_bytes;

  /// The facts of the target's product, see TargetTraits.
  constexpr DeviceFacts(Gfx target)  // NOLINT: a target stands for its product
      : gfx(target),
        compute_units(TraitsOf(target).compute_units),
        xcds(TraitsOf(target).xcds),
        clock_ghz(TraitsOf(target).clock_ghz),
        memory_gb_per_s(TraitsOf(target).memory_gb_per_s),
        memory_bytes(std::int64_t{TraitsOf(target).memory_gib} << 30) {}

  /// The facts of a device of `target` with `units` compute units: whole XCDs of the product if
  /// that divides evenly (MI300A has 6 of MI300X's 8; a partition of one XCD has 1), else one XCD.
  constexpr DeviceFacts(Gfx target, int units) : DeviceFacts(target) {
    const int per_xcd = compute_units / xcds;
    compute_units = units;
    xcds = units % per_xcd == 0 && units > 0 ? units / per_xcd : 1;
  }

  bool operator==(const DeviceFacts&) const = default;
};

static_assert(DeviceFacts(Gfx::k942, 228).xcds == 6, "MI300A");
static_assert(DeviceFacts(Gfx::k942, 38).xcds == 1, "a partition of MI300X");
static_assert(DeviceFacts(Gfx::k942, 80).xcds == 1, "MI308X: XCDs of 20 units, of another number");

}  // namespace gridwise
