#pragma once

#include <string>

namespace gridwise {

/// An analytic estimate of a kernel's time, in cycles of the GPU's engine clock. It ranks rows; it
/// does not predict clocks.
struct Cost {
  double matrix_cycles = 0;    // of one workgroup: matrix instructions on its SIMDs
  double memory_cycles = 0;    // of one workgroup: operands from L2, and the output
  double overhead_cycles = 0;  // of one workgroup: barriers, prologue and epilogue
  double rounds = 0;           // workgroups one after the other on the busiest compute unit
  double cycles = 0;           // of the launch

  /// E.g. "52.1 us = 14 rounds x max(5760 matrix, 4608 memory) + 1900 overhead cycles".
  std::string ToString(double clock_ghz) const;
};

}  // namespace gridwise
