// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "gridwise/conv.h"
#include "tools/gridwise/run/sim_report.h"

namespace gridwise {

/// A layer of RetinaNet in f16, at 32 images.
struct Layer {
  std::string name;
  ConvProblem problem;
};
absl::StatusOr<std::vector<Layer>> TimedLayers();

/// How long a layer takes as it is planned: a line of <target>_times.csv.
struct LayerTime {
  std::string name, direction, instance;
  double us = 0;        // in long runs, by the simulator's clock
  double bound_us = 0;  // what the roofline allows
  std::string limit;    // what costs most; empty: nothing that stands out
  double min_us = 0;    // that any plan of it was timed at
  std::string reason;   // why it takes over 5 % more than that

  /// Whether it takes so much more.
  bool IsSlower() const { return us > 1.05 * min_us; }
};

/// The file of a target, from the root of the repository.
std::string TimesPath(Gfx gfx);
absl::StatusOr<std::vector<LayerTime>> ReadTimes(const std::string& path);
std::string PrintTimes(const std::vector<LayerTime>& times);

/// The layer's line, or null.
const LayerTime* FindTime(const std::vector<LayerTime>& times, const Layer& layer);

/// Times a plan of the layer by the clock, with the sample of `gridwise run --time`. With kBare,
/// the times are the same and there is no limit.
absl::StatusOr<LayerTime> TimeLayer(const Layer& layer, const Plan& plan,
                                    SimTiming simulated = SimTiming::kQuiet);

/// Layers with their times as a table of Markdown: us, TFLOP/s, percent of the bound and limit in
/// each direction.
std::string PrintTable(const std::vector<Layer>& layers, const std::vector<LayerTime>& times);

/// The geometric mean of the bound's part of the time, in percent, of the layers of a direction, or
/// of all.
double PercentOfBound(const std::vector<LayerTime>& times, std::string_view direction);

}  // namespace gridwise
