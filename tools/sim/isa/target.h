// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

namespace gridwise::sim {

/// Targets as a set, for what only some of them have. GFX9 here is CDNA: waves of 64 lanes, MFMA.
enum TargetBit : uint8_t {
  kGfx942 = 1,
  kGfx950 = 2,
  kGfx1100 = 4,
  kGfx1201 = 8,
  kGfx9 = kGfx942 | kGfx950,
  kRdna = kGfx1100 | kGfx1201,
  kAllTargets = kGfx9 | kRdna,
};

/// What the simulator must know of a target before it sees an instruction.
struct SimTarget {
  const char* gfx;      // as LLVM spells it
  const char* generic;  // the target whose code runs on all of its family; source: LLVM
                        // AMDGPUUsage, "Generic Processors"
  TargetBit bit;
  int wave_size;  // lanes; kernels of RDNA may ask for 64
};

inline constexpr SimTarget kSimTargets[] = {
    {"gfx942", "gfx9-4-generic", kGfx942, 64},
    {"gfx950", "gfx9-4-generic", kGfx950, 64},
    {"gfx1100", "gfx11-generic", kGfx1100, 32},
    {"gfx1201", "gfx12-generic", kGfx1201, 32},
};

/// Further processors: each executes the instructions of the target with the same bit.
inline constexpr SimTarget kSimProcessors[] = {
    {"gfx1101", "gfx11-generic", kGfx1100, 32}, {"gfx1102", "gfx11-generic", kGfx1100, 32},
    {"gfx1103", "gfx11-generic", kGfx1100, 32}, {"gfx1150", "gfx11-generic", kGfx1100, 32},
    {"gfx1151", "gfx11-generic", kGfx1100, 32}, {"gfx1152", "gfx11-generic", kGfx1100, 32},
    {"gfx1153", "gfx11-generic", kGfx1100, 32}, {"gfx1200", "gfx12-generic", kGfx1201, 32},
};

/// The target or processor that is called `gfx`, or null.
constexpr const SimTarget* FindTarget(std::string_view gfx) {
  for (const SimTarget& target : kSimTargets) {
    if (gfx == target.gfx) return &target;
  }
  for (const SimTarget& processor : kSimProcessors) {
    if (gfx == processor.gfx) return &processor;
  }
  return nullptr;
}

/// Whether the device `gfx` executes code for the target `name`: its own, or its family's.
constexpr bool RunsCodeFor(std::string_view gfx, std::string_view name) {
  const SimTarget* const target = FindTarget(gfx);
  return gfx == name || (target != nullptr && name == target->generic);
}

/// The device to execute code for the target `name` on: the first that can, or `name` itself where
/// none is known.
constexpr std::string_view DeviceFor(std::string_view name) {
  for (const SimTarget& target : kSimTargets) {
    if (RunsCodeFor(target.gfx, name)) return target.gfx;
  }
  return name;  // perhaps a further processor
}

}  // namespace gridwise::sim
