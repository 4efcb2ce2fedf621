// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "tools/sim/elf/code_object.h"
#include "tools/sim/machine/grid.h"
#include "tools/sim/machine/launch.h"
#include "tools/sim/machine/program.h"
#include "tools/sim/time/machine/machine.h"
#include "tools/sim/time/model/launch_time.h"
#include "tools/sim/time/session/recorder.h"

namespace gridwise::sim::time {

/// Counts the work of a unit's resources while a launch is executed whole. Work of matrix units,
/// vector ALUs and issue comes from all executed instructions; that of LDS, address units and L2
/// from the addresses of a few workgroups across the grid. Attach probe() to the launch.
class PortCount {
 public:
  PortCount(const Machine& machine, Program& program, const KernelInfo& kernel, const Grid& grid);

  LaunchProbe& probe() { return recorder_; }

  /// What limits the launch that `report` describes.
  Bound Result(const RunReport& report);

 private:
  const Machine& machine_;
  Program& program_;
  const KernelInfo& kernel_;
  int64_t workgroups_;
  SamplePlan plan_;
  std::vector<int64_t> sample_;
  Recorder recorder_;
};

}  // namespace gridwise::sim::time
