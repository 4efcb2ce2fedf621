#include "core/runtime/event_clock.h"

#include <cstdlib>
#include <string_view>

#include "tools/sim/hip/sim_extension.h"

namespace gridwise {

EventClock CurrentEventClock() {
  if (gridwiseSimTakeRuns == nullptr) return EventClock::kDevice;
  const char* const variable = std::getenv("GRIDWISE_SIM");
  const std::string_view mode = variable == nullptr ? "" : variable;
  return mode == "time" || mode == "deferred,time" ? EventClock::kSimulated : EventClock::kHost;
}

}  // namespace gridwise
