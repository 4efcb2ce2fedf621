#pragma once

#include <cstdint>

#include "core/arch/target.h"

namespace gridwise {

/// What plans and estimates need to know of a device beyond its target: a target's products, and
/// partitions of one, differ in these. A value; CurrentDevice() (core/runtime/device.h) has those
/// of a real one.
struct DeviceFacts {
  Gfx gfx;
  int compute_units;
  int dies;  // with an L2 each, which take workgroups in turn: workgroup i runs on die i % dies
  double clock_ghz;        // peak engine clock
  double memory_gb_per_s;  // peak
  std::int64_t memory_bytes;

  /// Those of the target's product, see TargetTraits.
  constexpr DeviceFacts(Gfx target)  // NOLINT: a target stands for its product
      : gfx(target),
        compute_units(TraitsOf(target).compute_units),
        dies(TraitsOf(target).dies),
        clock_ghz(TraitsOf(target).clock_ghz),
        memory_gb_per_s(TraitsOf(target).memory_gb_per_s),
        memory_bytes(std::int64_t{TraitsOf(target).memory_gib} << 30) {}

  /// Those of a device of `target` with `units` compute units: whole dies of the product, where
  /// they are (MI300A has 6 of MI300X's 8; a partition of one die, 1), else one.
  constexpr DeviceFacts(Gfx target, int units) : DeviceFacts(target) {
    const int per_die = compute_units / dies;
    compute_units = units;
    dies = units % per_die == 0 && units > 0 ? units / per_die : 1;
  }

  bool operator==(const DeviceFacts&) const = default;
};

static_assert(DeviceFacts(Gfx::k942, 228).dies == 6, "MI300A");
static_assert(DeviceFacts(Gfx::k942, 38).dies == 1, "a partition of MI300X");
static_assert(DeviceFacts(Gfx::k942, 80).dies == 1, "MI308X: dies of 20 units, of another number");

}  // namespace gridwise
