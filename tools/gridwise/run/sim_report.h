// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gridwise {

/// The simulator's counts of launches.
struct SimRun {
  std::vector<std::pair<std::string, int64_t>> instructions;  // executed by waves, by class
  int64_t workgroups = 0;
  int64_t waves = 0;
  double seconds = 0;      // wall time
  int threads = 1;         // threads of the host
  double ports_ms = 0;     // lower bound on the GPU, in any order of execution; 0: not counted
  std::string ports = {};  // the unit that sets `ports_ms`
};

/// From now on, launches report SimRun::ports_ms.
void CountSimPorts();

/// Returns the launches since the last call; nullopt if the HIP library is not the simulator.
std::optional<SimRun> TakeSimRuns();

/// The times of launches by the simulator's clock. See GridwiseSimTimes (sim_extension.h).
struct SimTimes {
  int64_t launches = 0;
  double burst_mhz = 0, sustained_mhz = 0;
  double burst_ms = 0, sustained_ms = 0, low_ms = 0, high_ms = 0, ports_ms = 0;
  std::string ports = {}, limiter = {};
  double gain = 0;
  bool given_up = false;  // the times are lower bounds, above the limit
};

/// Returns whether the HIP library is the simulator.
bool IsSimulated();

/// How much timing reports, and costs.
enum class SimTiming {  // values of gridwiseSimTime
  kQuiet = 1,
  kDescribed = 2,  // also describes each launch on stderr
  kQuick = 3,      // from a smaller sample, without limiter and interval
  kBare = 4,       // without limiter and interval
};
/// From now on, launches are timed instead of executed completely. Returns false if the HIP library
/// is not the simulator.
bool StartSimTiming(SimTiming timing);

/// What launches from now on compute, in words, for the page of their times.
void NameSimLaunches(const std::string& what);

/// From now on, launches that certainly take longer than `ms` together are not timed to the end.
/// Infinity: all are.
void LimitSimTimes(double ms);

/// Returns the launches that were timed since the last call; nullopt if there are none.
std::optional<SimTimes> TakeSimTimes();

/// Returns the fraction of the running launch that is done, from 0 to 1; nullopt if the HIP library
/// is not the simulator. Any thread may call it.
std::optional<double> SimProgress();

}  // namespace gridwise
