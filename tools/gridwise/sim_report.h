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
  double seconds = 0;  // wall time
};

/// The launches since the last call; nothing when the HIP library is not the simulator.
std::optional<SimRun> TakeSimRuns();

/// How much of the launch that is running is done, 0 to 1; nothing when the HIP library is not the
/// simulator. Callable from any thread.
std::optional<double> SimProgress();

}  // namespace gridwise
