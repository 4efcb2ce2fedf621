#pragma once

#include <cstdint>
#include <string>

#include "core/cost/roofline.h"

namespace gridwise {

/// How long a plan's launches take together. On a real device `ms` is measured and the rest is
/// empty; on a simulated one it is what the simulator's clock says (tools/sim/time) of long runs.
struct Timing {
  double ms = 0;
  bool measured = false;
  double clock_ghz = 0;            // mean one of `ms`; of what is measured the device's peak
  double low_ms = 0, high_ms = 0;  // `ms` by the ranges of the machine's parameters
  double burst_ms = 0;             // in short runs,
  double burst_ghz = 0;            // at this clock
  double ports_ms = 0;             // no order of execution takes less in long runs,
  std::string ports = {};          // because of this
  std::string limiter = {};        // what costs most; "": nothing that stands out
  double gain = 0;                 // part of the time that would be saved without it
  int64_t launches = 0;            // of kernels; copies and fills are not timed by the clock
  bool given_up = false;           // `ms` is a lower bound, above TimingOptions::limit_ms

  double matrix_ghz = 0;  // of matrix units that work all the time, as power affords
  /// Of the plan's problem on its device at matrix_ghz.
  Roofline roofline = {};
  double flops = 0;
  double tflop_per_s() const { return flops / ms * 1e-9; }
  /// Part of what the roofline allows.
  double of_bound() const { return roofline.ms() / ms; }

  /// "LDS (15 % less without it)"; "" where it was measured, or nothing stands out.
  std::string Limit() const;
};

}  // namespace gridwise
