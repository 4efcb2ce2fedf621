#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gridwise {

/// What the simulator counted in launches.
struct SimRun {
  std::vector<std::pair<std::string, int64_t>> instructions;  // of waves, by class
  int64_t workgroups = 0;
  int64_t waves = 0;
  double seconds = 0;      // wall time
  int threads = 1;         // of the host
  double ports_ms = 0;     // no order of execution takes less on the GPU; 0: not counted
  std::string ports = {};  // by what
};

/// From now on launches tell SimRun::ports_ms.
void CountSimPorts();

/// The launches since the last call; nothing when the HIP library is not the simulator.
std::optional<SimRun> TakeSimRuns();

/// What the simulator's clock says of launches, see GridwiseSimTimes (sim_extension.h).
struct SimTimes {
  int64_t launches = 0;
  double burst_mhz = 0, sustained_mhz = 0;
  double burst_ms = 0, sustained_ms = 0, low_ms = 0, high_ms = 0, ports_ms = 0;
  std::string ports = {}, limiter = {};
  double gain = 0;
  bool given_up = false;  // the times are lower bounds, above the limit
};

/// Whether the HIP library is the simulator.
bool IsSimulated();

/// How much timing says, and costs.
enum class SimTiming {  // as gridwiseSimTime takes it
  kQuiet = 1,
  kDescribed = 2,  // and describes each launch on stderr
  kQuick = 3,      // from a smaller sample, without limiter and interval
  kBare = 4,       // without limiter and interval
};
/// From now on launches are timed in place of executed whole; false when the HIP library is not the
/// simulator.
bool StartSimTiming(SimTiming timing);

/// From now on launches that are sure to take longer than `ms` together are not timed to the end;
/// infinity: all are.
void LimitSimTimes(double ms);

/// The launches since the last call that were timed; nothing if none was.
std::optional<SimTimes> TakeSimTimes();

/// How much of the launch that is running is done, 0 to 1; nothing when the HIP library is not the
/// simulator. Callable from any thread.
std::optional<double> SimProgress();

}  // namespace gridwise
