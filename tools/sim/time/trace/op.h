// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/sim/isa/facts/facts.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/time/machine/machine.h"

namespace gridwise::sim::time {

/// What executes an instruction.
enum class OpKind : uint8_t {
  kInternal,  // waits, nops, priorities: the sequencer itself
  kScalar,
  kBranch,
  kVector,
  kTrans,  // vector instructions of the transcendental unit
  kMatrix,
  kLds,
  kMemory,  // vector memory
  kScalarMemory,
};
inline constexpr int kOpKinds = 9;
std::string_view Name(OpKind kind);

/// The kind of instruction that made a result: with the reader, it decides when the result is
/// ready.
enum class Producer : uint8_t { kScalar, kVector, kTrans, kF64 };

/// The facts that the clock has about an instruction before it is executed. Clocks are those of one
/// execution by a wave.
struct Op {
  std::string text;
  std::string source;  // "file.hip:12"; "" without debug information
  uint64_t pc = 0;
  OpKind kind = OpKind::kInternal;

  double valu_clk = 0;    // time of its SIMD's vector ALU
  double trans_clk = 0;   // time of its SIMD's transcendental unit, if that is separate
  double matrix_clk = 0;  // time of its SIMD's matrix unit
  double lds_clk = 0;     // time of LDS that depends on no address
  double idle_clk = 0;    // s_nop, s_sleep: until the wave's next instruction
  int priority = -1;      // s_setprio

  Producer producer = Producer::kVector;
  /// Registers whose order the hardware keeps. The program itself waits for results of memory
  /// instructions and of MFMA.
  std::vector<uint16_t> reads, writes;

  uint8_t counters = 0;  // counters that it is outstanding on, as in InstructionFacts
  Order order = Order::kNone;
  uint8_t limits[kWaitCounters] = {kNoLimit, kNoLimit, kNoLimit, kNoLimit};
  bool waits = false;
  bool barrier_signal = false, barrier_wait = false, ends = false;
  bool store = false, atomic = false, to_lds = false, bypasses_l1 = false;
  bool invalidates_l1 = false;  // the vector cache of its compute unit
};

/// The facts of an instruction at `pc` as `machine` executes it for waves of `wave_size` lanes.
Op MakeOp(const Machine& machine, TargetBit target, int wave_size, const InstructionFacts& facts);

}  // namespace gridwise::sim::time
