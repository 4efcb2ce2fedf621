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

/// A launch, part of which has been executed as a sample.
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
  /// Complete records of all workgroups of the first XCD, and their shapes, if TimeOptions::xcd.
  std::vector<const WorkgroupRecord*> xcd;
  Shapes* xcd_shapes = nullptr;
  /// Host threads that replay it; 0: one per processor.
  int threads = 0;
};

/// How much less time a launch would take in long runs if a resource cost nothing. If that is the
/// matrix unit, it costs no power either.
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
  int resident = 0;  // workgroups on a unit, if there are enough
  double clk = 0;    // the kernel at the burst clock, without its launch
  RunMs ms;          // launch included
  /// Bounds from the ends of the ranges of all uncertain parameters of the machine but its clocks,
  /// if these are independent of each other.
  RunMs low, high;
  Bound bound;                                     // from the ports alone
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
  /// How large the samples of the units in detail and of the XCD are, relative to the usual ones.
  /// For RetinaNet's instances, times from a tenth of both are 2.7 % off (median; 90th percentile
  /// 22 %), and times from a tenth of the XCD alone 0.1 % (1.6 %).
  double detail = 1, traffic = 1;
  /// How many instructions of a wave are recorded, in the workgroups across the grid. If waves are
  /// longer, only the first of a workgroup goes on, which tells how many instructions there are;
  /// the others are taken to end as it does.
  int64_t stratum = 100'000;
  /// Timing stops as soon as the kernel, without its launch, is known to take longer than this in
  /// long runs together with what ran `before` it. The bound of the ports may already say so.
  double limit_ms = std::numeric_limits<double>::infinity();
  RunMs before = {};
  std::vector<WaveEvent>* events = nullptr;
  /// Whether the first XCD is executed whole and timed unit by unit, in addition to the usual
  /// time. The comparison shows how good a sample of units, and rates in place of lines, are.
  /// Launches with too many instructions are not timed so.
  bool xcd = false;

  /// Whether a kernel that takes `kernel` or longer exceeds the limit.
  bool Exceeds(RunMs kernel) const { return (kernel += before).sustained() > limit_ms; }
};

/// Times the launch on `machine`. The caller keeps `machine` and what `launch` points to.
LaunchTime TimeLaunch(const Machine& machine, const LaunchRecord& launch,
                      const TimeOptions& options = {});

/// The time of a launch of which only a lower bound is known: `clk` at the burst clock.
LaunchTime GiveUp(const Machine& machine, const LaunchRecord& launch, const Bound& bound,
                  double clk);

/// Times the runtime's kernel that sets `bytes` bytes of device memory: a stream of stores.
LaunchTime TimeFill(const Machine& machine, double bytes);

/// Milliseconds of a plan's launches one after the other. Power is averaged over all of them.
RunMs SequenceMs(std::span<const LaunchTime* const> launches,
                 RunMs LaunchTime::* which = &LaunchTime::ms);

}  // namespace gridwise::sim::time
