// SPDX-License-Identifier: MIT
#include "tools/sim/hip/launch/occupancy.h"

#include <algorithm>
#include <cstdint>

#include "tools/sim/isa/target.h"
#include "tools/sim/machine/lds_banks.h"

namespace gridwise::sim {
namespace {

/// Workgroups of more than one wave that a compute unit can keep barriers for.
constexpr int kWorkgroupSlots = 32;

int WavesPerSimd(const MachineFacts& machine, const KernelInfo& kernel, int target_wave_size) {
  // A wave64 of a wave32 target takes two lanes' worth of every register.
  const int halves = kernel.wave_size / target_wave_size;
  const int granule = static_cast<int>(machine.register_granule);
  const int granules = (std::max(kernel.vgprs, 1) + granule - 1) / granule;
  return std::min(
      static_cast<int>(machine.waves_of_simd),
      static_cast<int>(machine.registers_of_simd) / (granules * granule * std::max(halves, 1)));
}

}  // namespace

int WorkgroupsPerMultiprocessor(const Device& device, const KernelInfo& kernel, uint32_t items,
                                uint64_t dynamic_lds_bytes) {
  if (items == 0 || items > kernel.max_workgroup) return 0;
  const TargetTraits traits = TraitsOf(device.facts.gfx);
  const uint32_t wave = static_cast<uint32_t>(kernel.wave_size);
  const int waves = static_cast<int>((items + wave - 1) / wave);
  const int slots =
      traits.simds_per_unit * WavesPerSimd(device.facts.machine, kernel, traits.wave_size);
  int workgroups = std::min(kWorkgroupSlots, slots / waves);
  const uint64_t lds = kernel.static_lds_bytes + dynamic_lds_bytes;
  if (lds > 0) {
    const uint64_t block = LdsBlockBytes(FindTarget(traits.name)->bit);
    const uint64_t rounded = (lds + block - 1) / block * block;
    workgroups = static_cast<int>(
        std::min<uint64_t>(workgroups, device.properties.sharedMemPerMultiprocessor / rounded));
  }
  return workgroups;
}

}  // namespace gridwise::sim
