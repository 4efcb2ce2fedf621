#pragma once

#include <string>

namespace gridwise {

/// An analytic estimate of a kernel's time in long runs, in cycles of the device's peak clock
/// (DeviceFacts::clock_ghz). It ranks instances; its terms are those of the simulator's clock
/// (tools/sim/time), its constants the machine's (core/arch/machine_facts.h) and fits to that
/// clock.
///
///   busy = rounds * (max(matrix, lds, memory, alone / resident) + fixed / resident)
///   burst = (busy^4 + tensor^4)^(1/4) + passes
///   cycles = (burst^8 + power^8)^(1/8)
///
/// Power is that of the matrix units: the device's clock falls until it affords their work,
/// whatever else there is to do. So time is the larger of the two; but estimates are uncertain, and
/// of instances that power limits those are safer that have time to spare.
///
/// Device memory's time is the same for all instances of a problem, and hides behind the rest, the
/// less well the nearer the two are. So it changes no order of instances, but what splits and
/// passes are worth.
struct Cost {
  double matrix_cycles = 0;  // of one workgroup: matrix instructions on its SIMDs
  double lds_cycles = 0;     // of one workgroup: operands written to LDS and read; 0: not counted
  double memory_cycles = 0;  // of one workgroup: operands at its compute unit's share of L2
  double vector_cycles = 0;  // of one workgroup: vector instructions but matrix ones, on its SIMDs
  double scalar_cycles = 0;  // of one workgroup: scalar instructions, likewise
  double alone_cycles = 0;  // main loop of a workgroup that has its compute unit to itself, waiting
                            // for memory each step
  double fixed_cycles = 0;  // of one workgroup: launch, prologue and output
  double workgroups = 0;    // of the main launch; 0: not told
  double rounds = 0;        // workgroups of the busiest compute unit
  double resident = 0;      // of them, how many run at the same time and hide each other's waits
  double tensor_cycles = 0;  // of device memory, or the Infinity Cache, for the tensors once each
  double launch_cycles = 0;  // of the first launch, besides its kernel
  double pass_cycles = 0;    // of the launches before and after: transposes, sums of splits
  double power_cycles = 0;   // of all matrix work, as power affords it: PowerFactor; 0: no limit
  double splits = 1;         // workgroups that share the K of a tile
  double cycles = 0;         // of it all

  /// E.g. "41.2 us = 3 rounds x (max(25623 matrix, 20110 lds, 13324 memory, 64000 alone / 3) + 3000
  /// fixed / 3) cycles"; "+ 9000 passes" before "cycles" where there are some; "41.2 us = 86520
  /// cycles by power, else ..." where power limits. `clock_ghz` is the device's peak.
  std::string ToString(double clock_ghz) const;
};

/// What it would take if there was power for all of it.
double BurstCycles(const Cost& cost);
/// Cost::cycles to the eighth power, of the other fields: it orders costs as cycles do, and takes a
/// fraction of the time.
double EighthPowerOfCycles(const Cost& cost);
/// Fills in cost.cycles from the other fields.
Cost WithCycles(Cost cost);

/// Of launches one after the other: with the terms of `first`, to whose passes `next` is added.
Cost InSequence(Cost first, const Cost& next);

}  // namespace gridwise
