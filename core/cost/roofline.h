// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/arch/device_facts.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/gemm/problem.h"

namespace gridwise {

/// A bound that no kernel can beat: the time of all multiplications at the rate of the matrix
/// units, and of reading and writing each tensor once. The launch itself is not counted. In long
/// runs, power limits the rate of the matrix units (MachineFacts::sustained_ghz); memory's rate
/// does not depend on the clock.
struct Roofline {
  double matrix_ms = 0, memory_ms = 0;
  double ms() const { return matrix_ms > memory_ms ? matrix_ms : memory_ms; }
  /// "matrix unit" or "memory".
  const char* bound() const { return matrix_ms > memory_ms ? "matrix unit" : "memory"; }
};

/// The properties of a problem that the roofline depends on.
struct RooflineWork {
  DataType type = DataType::kF16;            // of the operands
  double flops = 0;                          // multiplications and additions
  double bytes_read = 0, bytes_written = 0;  // each tensor once
};

/// The work of a problem. Only the pixels of x that some tap meets are read: a filter of one tap
/// and stride 2 leaves out three quarters of an image.
RooflineWork CountRooflineWork(const ConvProblem& problem);
RooflineWork CountRooflineWork(const GemmProblem& problem);

/// Number of an axis' input pixels that some tap of the filter meets.
std::int64_t PixelsMet(const Dim& dim);

/// The roofline of `work` on `device` with its matrix units at `clock_ghz`. As in consecutive runs,
/// tensors that together fit into the Infinity Cache are there already. For larger ones, the part
/// that the cache does not keep goes from and to memory (MemoryNs), at measured rates
/// (MachineFacts). The tensors of an epilogue are not counted.
Roofline ComputeRoofline(const RooflineWork& work, const DeviceFacts& device, double clock_ghz);

/// Maximum multiplications and additions per clock of one compute unit on operands of `type`.
double PeakFlopsPerClock(Gfx gfx, DataType type);

}  // namespace gridwise
