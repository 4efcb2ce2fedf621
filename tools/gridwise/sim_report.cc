#include "tools/gridwise/sim_report.h"

#include "tools/sim/hip/sim_extension.h"

namespace gridwise {

std::optional<SimRun> TakeSimRuns() {
  GridwiseSimRuns run{};
  if (gridwiseSimTakeRuns == nullptr || gridwiseSimTakeRuns(&run) != 0) return std::nullopt;
  SimRun result{
      .instructions = {}, .workgroups = run.workgroups, .waves = run.waves, .seconds = run.seconds};
  for (int i = 0; i < GRIDWISE_SIM_CLASSES; ++i) {
    if (run.class_names[i] != nullptr)
      result.instructions.emplace_back(run.class_names[i], run.instructions[i]);
  }
  return result;
}

std::optional<double> SimProgress() {
  if (gridwiseSimProgress == nullptr) return std::nullopt;
  uint64_t done = 0, total = 0;
  gridwiseSimProgress(&done, &total);
  if (total == 0) return std::nullopt;
  return static_cast<double>(done) / static_cast<double>(total);
}

}  // namespace gridwise
