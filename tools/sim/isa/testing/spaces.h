// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "tools/sim/isa/bind/bind.h"
#include "tools/sim/isa/testing/memory_wave.h"
#include "tools/sim/isa/testing/test_wave.h"
#include "tools/sim/wave/wave.h"

/// The ways to address memory that tests of memory instructions go through.

namespace gridwise::sim {

/// "v[8:11]", and what mnemonics of gfx9 end in, "x4".
inline std::string Registers(char file, int first, int dwords) {
  const std::string name = std::to_string(first);
  if (dwords == 1) return file + name;
  return std::string(1, file) + "[" + name + ":" + std::to_string(first + dwords - 1) + "]";
}
inline std::string Width(int dwords) { return dwords == 1 ? "" : "x" + std::to_string(dwords); }

/// A way to address memory: the operands around the data operand, and the registers that make lane
/// l's address offset[l] in `storage`. Addresses are in v[2:3], data in v8 and up.
struct Space {
  const char* prefix;  // how mnemonics begin; "ds" has its own mnemonics
  Storage storage;
  bool data_first;      // stores too have the data before the address
  bool uniform;         // all lanes have the same address
  const char* address;  // first operand
  const char* others;   // operands after address and data, and modifiers
  void (*set)(MemoryWave&, const uint32_t* offset);

  std::string Load(const std::string& data) const { return data + ", " + address + others; }
  std::string Store(const std::string& data) const {
    return data_first ? Load(data) : std::string(address) + ", " + data + others;
  }
};

/// v[2:3] = address + offset[l].
inline void SetWide(MemoryWave& w, uint64_t address, const uint32_t* offset) {
  for (int l = 0; l < kLanes; ++l) {
    w->v[2][l] = static_cast<uint32_t>(address + offset[l]);
    w->v[3][l] = static_cast<uint32_t>((address + offset[l]) >> 32);
  }
}
/// v2 = offset[l] + difference.
inline void SetNarrow(MemoryWave& w, uint32_t difference, const uint32_t* offset) {
  for (int l = 0; l < kLanes; ++l) w->v[2][l] = offset[l] + difference;
}

inline constexpr Space kSpaces[] = {
    {"global", Storage::kGlobal, false, false, "v[2:3]", ", off offset:-24",
     [](MemoryWave& w, const uint32_t* o) { SetWide(w, w.base() + 24, o); }},
    {"global", Storage::kGlobal, false, false, "v2", ", s[4:5] offset:4095",
     [](MemoryWave& w, const uint32_t* o) {
       SetScalar64(*w, 4, w.base() - 4095 - 0xfffff000u);  // the VGPR offset is unsigned
       SetNarrow(w, 0xfffff000u, o);
     }},
    {"global", Storage::kGlobal, false, false, "v2", ", s[4:5] offset:-4096",
     [](MemoryWave& w, const uint32_t* o) {
       SetScalar64(*w, 4, w.base());
       SetNarrow(w, 4096, o);
     }},
    {"flat", Storage::kGlobal, false, false, "v[2:3]", " offset:4095",
     [](MemoryWave& w, const uint32_t* o) { SetWide(w, w.base() - 4095, o); }},
    {"flat", Storage::kLds, false, false, "v[2:3]", " offset:64",
     [](MemoryWave& w, const uint32_t* o) {
       SetWide(w, (uint64_t{kSharedAperture} << 32) - 64, o);
     }},
    {"flat", Storage::kScratch, false, false, "v[2:3]", " offset:64",
     [](MemoryWave& w, const uint32_t* o) {
       SetWide(w, (uint64_t{kPrivateAperture} << 32) - 64, o);
     }},
    {"scratch", Storage::kScratch, false, false, "v2", ", off offset:-100",
     [](MemoryWave& w, const uint32_t* o) { SetNarrow(w, 100, o); }},
    {"scratch", Storage::kScratch, false, false, "v2", ", s4 offset:20",
     [](MemoryWave& w, const uint32_t* o) {
       w->s[4] = 80;
       SetNarrow(w, static_cast<uint32_t>(-100), o);
     }},
    {"scratch", Storage::kScratch, false, true, "off", ", s4 offset:-4",
     [](MemoryWave& w, const uint32_t* o) { w->s[4] = o[0] + 4; }},
    {"buffer", Storage::kGlobal, true, false, "v2", ", s[4:7], 0 offen",
     [](MemoryWave& w, const uint32_t* o) {
       w.SetResource(4, w.base(), 0, MemoryWave::kBytes);
       SetNarrow(w, 0, o);
     }},
    {"buffer", Storage::kGlobal, true, false, "v2", ", s[4:7], s8 offen offset:31",
     [](MemoryWave& w, const uint32_t* o) {
       w.SetResource(4, w.base(), 16, MemoryWave::kBytes);  // without idxen the stride is not used
       w->s[8] = 33;
       SetNarrow(w, static_cast<uint32_t>(-64), o);
     }},
    {"buffer", Storage::kGlobal, true, false, "v[2:3]", ", s[4:7], s8 idxen offen offset:7",
     [](MemoryWave& w, const uint32_t* o) {
       w.SetResource(4, w.base(), 12, 5);
       w->s[8] = 5;
       for (uint32_t l = 0; l < kLanes; ++l) {
         w->v[2][l] = l % 5;
         w->v[3][l] = o[l] - 12 - 12 * (l % 5);
       }
     }},
    {"buffer", Storage::kGlobal, true, true, "off", ", s[4:7], s8 offset:9",
     [](MemoryWave& w, const uint32_t* o) {
       w.SetResource(4, w.base() - 9, 0, MemoryWave::kBytes + 9);
       w->s[8] = o[0];
     }},
    {"ds", Storage::kLds, false, false, "v2", " offset:200",
     [](MemoryWave& w, const uint32_t* o) { SetNarrow(w, static_cast<uint32_t>(-200), o); }},
};

/// EXEC masks that tests go through.
inline constexpr uint64_t kMasks[] = {~uint64_t{0}, 0x8001f00f00ff5aa5, 0x3fffffffff80000,
                                      0xffffffff,   uint64_t{1} << 63,  0};

/// Sets EXEC to `exec`, of those lanes that the wave has, and returns it. Inactive lanes get an
/// address that nothing may be accessed at.
inline uint64_t SpoilInactive(MemoryWave& w, uint64_t exec) {
  exec &= w->all_lanes;
  for (int l = 0; l < kLanes; ++l) {
    if (exec >> l & 1) continue;
    w->v[2][l] = 0xdeadbee0;
    w->v[3][l] = 0xdeadbee0;
  }
  SetScalar64(*w, kExecLo, exec);
  return exec;
}

}  // namespace gridwise::sim
