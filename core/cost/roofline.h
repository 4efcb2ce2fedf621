#pragma once

#include <cstdint>

#include "core/arch/device_facts.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/gemm/problem.h"

namespace gridwise {

/// What no kernel can be faster than: the time of all multiplications at the rate of the matrix
/// units, and of moving once what is read and written of each tensor. The launch itself is not
/// counted. In long runs the matrix units' rate is what power affords
/// (MachineFacts::sustained_ghz), memory's does not depend on the clock.
struct Roofline {
  double matrix_ms = 0, memory_ms = 0;
  double ms() const { return matrix_ms > memory_ms ? matrix_ms : memory_ms; }
  /// "matrix unit" or "memory".
  const char* bound() const { return matrix_ms > memory_ms ? "matrix unit" : "memory"; }
};

/// What of a problem the roofline depends on.
struct RooflineWork {
  DataType type = DataType::kF16;            // of the operands
  double flops = 0;                          // multiplications and additions
  double bytes_read = 0, bytes_written = 0;  // of all tensors, each once
};

/// The work of a problem. Of x no more is read than the pixels that some tap meets: a filter of one
/// tap and stride 2 leaves out three quarters of an image.
RooflineWork RooflineWorkOf(const ConvProblem& problem);
RooflineWork RooflineWorkOf(const GemmProblem& problem);

/// How many of an axis' input pixels are met by some tap of the filter.
std::int64_t PixelsMet(const Dim& dim);

/// The roofline of `work` on `device` with its matrix units at `clock_ghz`. As in runs one after
/// the other, tensors that fit into the Infinity Cache together are there already; of larger ones
/// what it does not keep comes from memory and goes there (MemoryNs), at the rates that are
/// achieved (MachineFacts). The tensors of an epilogue are not counted.
Roofline RooflineOf(const RooflineWork& work, const DeviceFacts& device, double clock_ghz);

/// Multiplications and additions a clock of one compute unit on operands of `type`, at most.
double PeakFlopsPerClock(Gfx gfx, DataType type);

}  // namespace gridwise
