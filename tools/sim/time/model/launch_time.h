// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/sim/time/engine/unit.h"
#include "tools/sim/time/machine/machine.h"
#include "tools/sim/time/model/occupancy.h"
#include "tools/sim/time/model/ports.h"
#include "tools/sim/time/model/sample.h"
#include "tools/sim/time/model/traffic.h"

namespace gridwise::sim::time {

/// A launch of which a sample has been executed.
struct LaunchRecord {
  std::string kernel;
  int64_t workgroups = 0;  // in the whole launch
  GroupNeeds needs;
  Occupancy occupancy;
  SamplePlan plan;
  std::span<const Op> ops;
  /// The same instructions on another machine, if an interval is wanted.
  std::function<std::vector<Op>(const Machine&)> ops_on;
  Shapes* shapes = nullptr;
  /// The record of a workgroup by linear index, or null if it was not executed.
  std::function<const WorkgroupRecord*(int64_t)> record;
  Footprint footprint;
  /// Whole records of all of the first XCD's workgroups, and their shapes, if it is wanted.
  std::vector<const WorkgroupRecord*> xcd;
  Shapes* xcd_shapes = nullptr;
  /// Host threads that replay it, 0: as many as there are processors.
  int threads = 0;
};

/// How much less time a launch would take in long runs if a resource cost nothing: of the matrix
/// unit, no power either.
struct Gain {
  Resource resource = Resource::kIssue;
  double part = 0;  // its share of the time
};

/// How long a launch takes, and why.
struct LaunchTime {
  std::string kernel;
  const Machine* machine = nullptr;
  int64_t workgroups = 0;
  int64_t sampled = 0;
  GroupNeeds needs;
  Occupancy occupancy;
  int resident = 0;  // workgroups on a unit, as far as there are so many
  double clk = 0;    // the kernel at the burst clock, without its launch
  RunMs ms;          // launch included
  /// If all uncertain parameters of the machine but its clocks are independent of each other: by
  /// the ends of their ranges.
  RunMs low, high;
  Bound bound;                                     // by the ports alone
  bool given_up = false;                           // see TimeOptions: all times are lower bounds
  std::vector<Gain> gains;                         // the largest first
  double l1_hits = 0, l2_hits = 0, mall_hits = 0;  // parts
  PortWork utilisation = {};                       // parts of the time of the unit
  UnitTime unit;                                   // one unit in detail, at the burst clock
  std::optional<XcdTime> xcd;  // the first XCD in detail, at the burst clock, if it was wanted

  /// The mean clock of long runs.
  double sustained_mhz() const { return machine->burst_mhz * ms.burst / ms.sustained(); }
  /// How busy the device's matrix units are on average, at the burst clock.
  double matrix_busy() const { return bound.matrix_clk / (machine->burst_mhz * 1000) / ms.burst; }
};

struct TimeOptions {
  bool gains = true;     // costs a replay per resource
  bool interval = true;  // costs a short one for each end of an uncertain parameter
  /// How much is executed of the units in detail and of the XCD, in parts of what is usual. Times
  /// of RetinaNet's rows from a tenth of both are 2.7 % off (median, 22 % at the ninth tenth), from
  /// a tenth of the XCD alone 0.1 % (1.6 %).
  double detail = 1, traffic = 1;
  /// How many instructions of a wave are recorded, in the workgroups across the grid. If waves are
  /// longer, only the first of a workgroup goes on, which tells how many instructions there are;
  /// the others are taken to end as it does.
  int64_t stratum = 100'000;
  /// A kernel that takes longer, in long runs together with what ran `before` it and without its
  /// launch, is timed no further than to find that out: from the bound of the ports if that says
  /// so.
  double limit_ms = std::numeric_limits<double>::infinity();
  RunMs before = {};
  std::vector<WaveEvent>* events = nullptr;
  /// Whether the first XCD is executed whole and timed unit by unit, in addition to the usual
  /// time. The comparison shows how good a sample of units, and rates in place of lines, are.
  /// Launches with too many instructions are not timed so.
  bool xcd = false;

  /// Whether a kernel that takes `kernel` or longer is one of those.
  bool Exceeds(RunMs kernel) const { return (kernel += before).sustained() > limit_ms; }
};

/// Times the launch on `machine`. The caller keeps `machine` and what `launch` points to.
LaunchTime TimeLaunch(const Machine& machine, const LaunchRecord& launch,
                      const TimeOptions& options = {});

/// What is known of a launch that takes at least `clk` at the burst clock.
LaunchTime GiveUp(const Machine& machine, const LaunchRecord& launch, const Bound& bound,
                  double clk);

/// Times the runtime's kernel that sets `bytes` bytes of device memory: a stream of stores.
LaunchTime TimeFill(const Machine& machine, double bytes);

/// Milliseconds of a plan's launches one after the other; power counts on average of all of them.
RunMs SequenceMs(std::span<const LaunchTime* const> launches,
                 RunMs LaunchTime::* which = &LaunchTime::ms);

}  // namespace gridwise::sim::time
