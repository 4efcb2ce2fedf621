// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <mutex>

#include "tools/sim/wave/wave.h"

namespace gridwise::sim {

/// A device's resources of global wave sync (ds_gws_..., of gfx9 and gfx11): barriers and
/// semaphores for waves of any workgroups, in launches whose workgroups all run at once. As AMD's
/// documents describe them ("Vega" ISA, DS_GWS_...). Thread safe.
class WaveSync {
 public:
  static constexpr uint32_t kResources = 64;

  /// Does `operation` of a wave at resource `index`, modulo kResources; `value` is the operand of
  /// those that have one. False: the wave has to wait and asks again. `ticket`, 0 at start, is the
  /// wave's own.
  bool Do(WaveSyncOperation operation, uint32_t index, uint32_t value, uint32_t& ticket);

 private:
  struct Resource {
    uint32_t counter = 0;
    uint32_t opened = 0;   // how often the barrier has done so
    uint32_t waiting = 0;  // waves, for the semaphore
  };
  static bool Arrive(Resource& resource, uint32_t value, uint32_t& ticket);
  static bool Take(Resource& resource, uint32_t& ticket);

  std::mutex mutex_;
  std::array<Resource, kResources> resources_;
};

}  // namespace gridwise::sim
