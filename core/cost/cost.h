// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace gridwise {

/// An analytic estimate of a kernel's time in long runs, in cycles of the device's peak clock
/// (DeviceFacts::clock_ghz). It ranks instances; its terms are those of the simulator's clock
/// (tools/sim/time), its constants the machine's (core/arch/machine.h) and fits to that
/// clock.
///
///   busy = rounds * (max(matrix, lds, memory, alone / resident) + fixed / resident)
///   burst = (busy^4 + tensor^4)^(1/4) + passes
///   cycles = (burst^8 + power^8)^(1/8)
///
/// Power is that of the matrix units: the device's clock falls until it can power their work,
/// whatever else there is to do. Time is therefore the larger of the two. Estimates are uncertain,
/// however: among instances that power limits, those with time to spare are safer. Hence the smooth
/// maximum.
///
/// The time of device memory is the same for all instances of a problem. It hides behind the rest,
/// less well the closer the two are. It does not change the order of instances, but it changes what
/// splits and passes are worth.
struct Cost {
  double matrix_cycles = 0;  // per workgroup: matrix instructions on its SIMDs
  double lds_cycles = 0;     // per workgroup: operands written to LDS and read; 0: not counted
  double memory_cycles = 0;  // per workgroup: operands at its compute unit's share of L2
  double vector_cycles = 0;  // per workgroup: vector instructions except matrix ones, on its SIMDs
  double scalar_cycles = 0;  // per workgroup: scalar instructions, likewise
  double alone_cycles = 0;   // main loop of a workgroup that has its compute unit to itself and
                             // waits for memory in each step
  double fixed_cycles = 0;   // per workgroup: launch, prologue and output
  double workgroups = 0;     // of the main launch; 0: unknown
  double rounds = 0;         // workgroups of the busiest compute unit
  double resident = 0;       // workgroups that run on a compute unit at the same time and hide each
                             // other's waits
  double tensor_cycles = 0;  // device memory, or the Infinity Cache: each tensor once
  double launch_cycles = 0;  // the first launch, without its kernel
  double pass_cycles = 0;    // the launches before and after: transposes, sums of splits
  double power_cycles = 0;   // all matrix work, limited by power: PowerFactor; 0: no limit
  double splits = 1;         // workgroups that share the K of a tile
  double cycles = 0;         // in total

  /// E.g. "41.2 us = 3 rounds x (max(25623 matrix, 20110 lds, 13324 memory, 64000 alone / 3) + 3000
  /// fixed / 3) cycles"; "+ 9000 passes" before "cycles" where there are some; "41.2 us = 86520
  /// cycles by power, else ..." where power limits. `clock_ghz` is the device's peak.
  std::string ToString(double clock_ghz) const;
};

/// Cycles if there were enough power for all of the work.
double BurstCycles(const Cost& cost);
/// Cost::cycles to the eighth power, computed from the other fields. It orders costs as cycles do,
/// and takes a fraction of the time.
double EighthPowerOfCycles(const Cost& cost);
/// Fills in cost.cycles from the other fields.
Cost WithCycles(Cost cost);

/// The cost of two launches in sequence: the terms of `first`, with `next` added to its passes.
Cost InSequence(Cost first, const Cost& next);

}  // namespace gridwise
