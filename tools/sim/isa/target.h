// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "core/arch/processor_list.h"
#include "core/arch/target.h"

namespace gridwise::sim {

/// Targets as a set, for what only some of them have. GFX9 here is CDNA: waves of 64 lanes, MFMA.
enum TargetBit : uint8_t {
  kGfx942 = 1,
  kGfx950 = 2,
  kGfx1100 = 4,
  kGfx1201 = 8,
  kGfx90a = 16,
  kGfx94 = kGfx942 | kGfx950,  // the family gfx9-4-generic: CDNA3 and CDNA4
  kGfx9 = kGfx94 | kGfx90a,
  kRdna = kGfx1100 | kGfx1201,
  kAllTargets = kGfx9 | kRdna,
};

/// What the simulator must know of a target before it sees an instruction.
struct SimTarget {
  const char* gfx;      // as LLVM spells it
  const char* generic;  // the target whose code runs on all of its family, itself if it has none;
                        // source: LLVM AMDGPUUsage, "Generic Processors"
  TargetBit bit;
  int wave_size;  // lanes; kernels of RDNA may ask for 64
};

inline constexpr SimTarget kSimTargets[] = {
    {"gfx942", "gfx9-4-generic", kGfx942, 64},  {"gfx950", "gfx9-4-generic", kGfx950, 64},
    {"gfx1100", "gfx11-generic", kGfx1100, 32}, {"gfx1201", "gfx12-generic", kGfx1201, 32},
    {"gfx90a", "gfx90a", kGfx90a, 64},
};

/// Whether a processor executes the instructions of a target of another name.
constexpr bool IsFurther(const Processor& processor) {
  return processor.name != gridwise::Name(processor.gfx);
}

/// The further processors, each as its target.
inline constexpr auto kSimProcessors = [] {
  std::array<SimTarget, std::ranges::count_if(kProcessors, IsFurther)> further;
  auto next = further.begin();
  for (const Processor& processor : kProcessors) {
    if (!IsFurther(processor)) continue;
    for (const SimTarget& target : kSimTargets) {
      if (std::string_view(target.gfx) == gridwise::Name(processor.gfx)) *next = target;
    }
    (next++)->gfx = processor.name.data();
  }
  return further;
}();

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
