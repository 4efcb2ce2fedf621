// SPDX-License-Identifier: MIT
#include "core/runtime/event_clock.h"

#include "tools/sim/hip/sim_extension.h"

namespace gridwise {

EventClock CurrentEventClock() {
  if (gridwiseSimIsTimed == nullptr) return EventClock::kDevice;
  return gridwiseSimIsTimed() != 0 ? EventClock::kSimulated : EventClock::kHost;
}

}  // namespace gridwise
