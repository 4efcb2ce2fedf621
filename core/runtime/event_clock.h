#pragma once

namespace gridwise {

/// What the time between two events (stream.h) is.
enum class EventClock {
  kDevice,     // time of a real device
  kSimulated,  // time that the simulator's model of the device says (GRIDWISE_SIM=time)
  kHost,       // time that simulating took on the host, which says nothing about a device
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

/// That of this process's HIP library.
EventClock CurrentEventClock();

}  // namespace gridwise
