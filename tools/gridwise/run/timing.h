// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "core/cost/roofline.h"

namespace gridwise {

/// The time of all launches of a plan together. On a real device `ms` is measured and the other
/// times are empty. On a simulated device it is the time of long runs by the simulator's clock
/// (tools/sim/time).
struct Timing {
  double ms = 0;
  bool measured = false;
  double clock_ghz = 0;            // mean clock of `ms`; if measured, the device's peak
  double low_ms = 0, high_ms = 0;  // range of `ms` for uncertain parameters of the machine
  double burst_ms = 0;             // time in short runs
  double burst_ghz = 0;            // clock of `burst_ms`
  double ports_ms = 0;             // lower bound of long runs, in any order of execution
  std::string ports = {};          // the unit that sets `ports_ms`
  std::string limiter = {};        // largest cost; "": none stands out
  double gain = 0;                 // fraction of the time that would be saved without it
  int64_t launches = 0;            // kernel launches; the clock does not time copies and fills
  bool given_up = false;           // `ms` is a lower bound that exceeds TimingOptions::limit_ms

  std::string note = {};  // that the clock is not calibrated for the device; "" if it is
  double matrix_ghz = 0;  // clock at which power allows matrix units to work all the time
  /// The roofline of the plan's problem on its device at matrix_ghz.
  Roofline roofline = {};
  double flops = 0;
  double tflop_per_s() const { return flops / ms * 1e-9; }
  /// Returns the fraction of the roofline.
  double of_bound() const { return roofline.ms() / ms; }

  /// Returns e.g. "LDS (15 % less without it)"; "" if `ms` was measured or nothing stands out.
  std::string Limit() const;
};

}  // namespace gridwise
