// SPDX-License-Identifier: MIT
#include "tools/gridwise/run/sim_report.h"

#include "tools/sim/hip/sim_extension.h"

namespace gridwise {

void CountSimPorts() {
  if (gridwiseSimCountPorts != nullptr) gridwiseSimCountPorts(1);
}

std::optional<SimRun> TakeSimRuns() {
  GridwiseSimRuns run{};
  if (gridwiseSimTakeRuns == nullptr || gridwiseSimTakeRuns(&run) != 0) return std::nullopt;
  SimRun result{.instructions = {},
                .workgroups = run.workgroups,
                .waves = run.waves,
                .seconds = run.seconds,
                .threads = run.threads,
                .ports_ms = run.ports_ms,
                .ports = run.ports};
  for (int i = 0; i < GRIDWISE_SIM_CLASSES; ++i) {
    if (run.class_names[i] != nullptr)
      result.instructions.emplace_back(run.class_names[i], run.instructions[i]);
  }
  return result;
}

bool IsSimulated() { return gridwiseSimTime != nullptr; }

bool StartSimTiming(SimTiming timing) {
  if (!IsSimulated()) return false;
  gridwiseSimTime(static_cast<int>(timing));
  return true;
}

std::optional<SimTimes> TakeSimTimes() {
  GridwiseSimTimes times{};
  if (gridwiseSimTakeTimes == nullptr || gridwiseSimTakeTimes(&times) != 0) return std::nullopt;
  return SimTimes{.launches = times.launches,
                  .burst_mhz = times.burst_mhz,
                  .sustained_mhz = times.sustained_mhz,
                  .burst_ms = times.burst_ms,
                  .sustained_ms = times.sustained_ms,
                  .low_ms = times.low_ms,
                  .high_ms = times.high_ms,
                  .ports_ms = times.ports_ms,
                  .ports = times.ports,
                  .limiter = times.limiter,
                  .gain = times.gain,
                  .given_up = times.given_up != 0};
}

void NameSimLaunches(const std::string& what) {
  if (gridwiseSimNameLaunches != nullptr) gridwiseSimNameLaunches(what.c_str());
}

void LimitSimTimes(double ms) {
  if (gridwiseSimTimeLimit != nullptr) gridwiseSimTimeLimit(ms);
}

std::optional<double> SimProgress() {
  if (gridwiseSimProgress == nullptr) return std::nullopt;
  uint64_t done = 0, total = 0;
  gridwiseSimProgress(&done, &total);
  if (total == 0) return std::nullopt;
  return static_cast<double>(done) / static_cast<double>(total);
}

}  // namespace gridwise
