// SPDX-License-Identifier: MIT
#pragma once

namespace gridwise {

/// The kind of time between two events (stream.h).
enum class EventClock {
  kDevice,     // time of a real device
  kSimulated,  // predicted by the simulator's model of the device (GRIDWISE_SIM=time)
  kHost,       // the time that the simulation took on the host, which says nothing about a device
};

/// "device", "simulated" or "host".
constexpr const char* Name(EventClock clock) {
  switch (clock) {
    case EventClock::kDevice:
      return "device";
    case EventClock::kSimulated:
      return "simulated";
    case EventClock::kHost:
      return "host";
  }
  return "?";
}

/// The clock of this process's HIP library.
EventClock CurrentEventClock();

}  // namespace gridwise
