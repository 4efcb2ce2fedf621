#pragma once

#include "core/arch/device_facts.h"
#include "core/conv/problem.h"

namespace gridwise {

/// What no kernel can be faster than: the time of all multiplications at the peak of the matrix
/// units, and of each tensor moved once. The launch itself is not counted.
struct Roofline {
  double matrix_ms = 0, memory_ms = 0;
  double ms() const { return matrix_ms > memory_ms ? matrix_ms : memory_ms; }
  /// "matrix unit" or "memory".
  const char* bound() const { return matrix_ms > memory_ms ? "matrix unit" : "memory"; }
};

/// The roofline of `problem` on `device` with its engine clock at `clock_ghz`. As in runs one after
/// the other, tensors that fit into the Infinity Cache together are there already; larger ones come
/// from memory and go there, at the rates that are achieved (MachineFacts). The tensors of an
/// epilogue are not counted.
Roofline RooflineOf(const ConvProblem& problem, const DeviceFacts& device, double clock_ghz);

/// Multiplications and additions a clock of one compute unit on operands of `type`, at most.
double PeakFlopsPerClock(Gfx gfx, DataType type);

}  // namespace gridwise
