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
  const char* gfx;  // as LLVM spells it
  TargetBit bit;
  int wave_size;  // lanes; kernels of RDNA may ask for 64
};

inline constexpr SimTarget kSimTargets[] = {
    {"gfx942", kGfx942, 64},
    {"gfx950", kGfx950, 64},
    {"gfx1100", kGfx1100, 32},
    {"gfx1201", kGfx1201, 32},
};

/// The target that is called `gfx`, or null.
constexpr const SimTarget* FindTarget(std::string_view gfx) {
  for (const SimTarget& target : kSimTargets) {
    if (gfx == target.gfx) return &target;
  }
  return nullptr;
}

}  // namespace gridwise::sim
