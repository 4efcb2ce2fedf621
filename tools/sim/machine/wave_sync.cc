// SPDX-License-Identifier: MIT
#include "tools/sim/machine/wave_sync.h"

namespace gridwise::sim {

bool WaveSync::Arrive(Resource& resource, uint32_t value, uint32_t& ticket) {
  if (ticket != 0) {
    if (ticket == resource.opened + 1) return false;
    ticket = 0;
    return true;
  }
  if (resource.counter == 0) {  // the last one; its value is for the next barrier
    resource.counter = value;
    ++resource.opened;
    return true;
  }
  --resource.counter;
  ticket = resource.opened + 1;
  return false;
}

bool WaveSync::Take(Resource& resource, uint32_t& ticket) {
  if (resource.counter > 0) {
    --resource.counter;
    resource.waiting -= ticket;
    ticket = 0;
    return true;
  }
  resource.waiting += 1 - ticket;
  ticket = 1;
  return false;
}

bool WaveSync::Do(WaveSyncOperation operation, uint32_t index, uint32_t value, uint32_t& ticket) {
  const std::lock_guard lock(mutex_);
  Resource& resource = resources_[index % kResources];
  switch (operation) {
    case WaveSyncOperation::kBarrier:
      return Arrive(resource, value, ticket);
    case WaveSyncOperation::kTake:
      return Take(resource, ticket);
    case WaveSyncOperation::kInit:
      resource.counter = value;
      return true;
    case WaveSyncOperation::kGive:
      ++resource.counter;
      return true;
    case WaveSyncOperation::kGiveMany:
      resource.counter += value;
      return true;
    case WaveSyncOperation::kReleaseAll:
      resource.counter = resource.waiting;
      return true;
  }
  return true;
}

}  // namespace gridwise::sim
