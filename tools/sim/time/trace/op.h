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

/// What the time until a result may be read depends on, besides the reader.
enum class Producer : uint8_t { kScalar, kVector, kTrans, kF64 };

/// What the clock knows of an instruction before it is executed. Clocks are those of one execution
/// by a wave.
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
  /// Registers that the hardware keeps the order of: results of memory instructions and of MFMA are
  /// waited for by the program itself.
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
